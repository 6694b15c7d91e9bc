// A process that has Dawn check WGSL: `node dawn_driver.mjs FOLDER_OF_THE_PACKAGE_WEBGPU`, JSON lines in and out.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const LIMITS = [
  "maxStorageBuffersPerShaderStage",
  "maxComputeWorkgroupStorageSize",
  "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupSizeX",
  "maxComputeWorkgroupSizeY",
];
const say = (answer) => process.stdout.write(JSON.stringify(answer) + "\n");

async function start() {
  const { create, globals } = await import(pathToFileURL(join(folder, "index.js")));
  Object.assign(globalThis, globals);
  globalThis.gpu = create(["backend=null"]); // Dawn aborts when this is collected as garbage
  const adapter = await gpu.requestAdapter();
  if (!adapter) throw new Error("no adapter");
  const features = ["shader-f16", "subgroups"].filter((feature) => adapter.features.has(feature));
  return adapter.requestDevice({
    requiredFeatures: features,
    requiredLimits: Object.fromEntries(LIMITS.map((name) => [name, adapter.limits[name]])),
  });
}

async function check(device, source) {
  device.pushErrorScope("validation");
  const module = device.createShaderModule({ code: source });
  const { messages } = await module.getCompilationInfo();
  const errors = messages.filter((message) => message.type === "error");
  // the null device binds few buffers, which is no fault of the shader: its module is checked all the same
  if (errors.length === 0 && (source.match(/var<storage/g) ?? []).length <= device.limits.maxStorageBuffersPerShaderStage) {
    device.createComputePipeline({ layout: "auto", compute: { module } });
  }
  const failure = await device.popErrorScope();
  if (errors.length) {
    return { accepted: false, message: errors.map((e) => `${e.lineNum}:${e.linePos} ${e.message}`).join("\n") };
  }
  return failure ? { accepted: false, message: failure.message } : { accepted: true };
}

let device;
try {
  device = await start();
} catch (error) {
  say({ missing: `the npm package webgpu does not start: ${error.message}` });
  process.exit(0);
}
say({ version: JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).version });
for await (const line of createInterface({ input: process.stdin })) {
  say(await check(device, JSON.parse(line).source));
}
process.exit(0);
