// Runs the threads of a kernel on one thread of the CPU, a block after the other.
//
// A kernel in which threads wait for each other has a fiber a thread: at a barrier the next fiber runs. All threads of a
// block must come to it; if one has ended instead, that is an error. A product of matrices is computed once all threads
// of a warp have come to theirs. Any other kernel is a loop. An access outside of memory is caught as the signal it
// raises, and reported.
#include "simt.h"

#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

extern "C" {
uint3 simt_group, simt_thread, simt_groups, simt_threads;
}

namespace {

enum State { READY, AT_BARRIER, AT_PRODUCT, DONE };
enum Outcome { FINE, FAULT, TRAP, DIVERGED, NO_MEMORY };

struct Product {
  simt_unit unit;
  simt_type in, out;
  const void *a, *b;
  void *c;
};

struct Fiber {
  ucontext_t context;
  State state;
  Product product;
};

const unsigned MOST_THREADS = 2048;
const unsigned long STACK = 256 << 10, PAGE = 4096;

Fiber fibers[MOST_THREADS];
unsigned char *stacks;
ucontext_t scheduler;
unsigned current;
bool in_fiber;
void (*entry)(void **);
void **arguments;

sigjmp_buf escape;
void *fault_address;
int fault_signal;

void on_signal(int number, siginfo_t *info, void *) {
  fault_address = info->si_addr;
  fault_signal = number;
  siglongjmp(escape, 1);
}

void place(unsigned thread) {
  simt_thread = uint3{thread % simt_threads.x, thread / simt_threads.x % simt_threads.y,
                      thread / (simt_threads.x * simt_threads.y)};
}

void wait(State state) {
  Fiber &fiber = fibers[current];
  fiber.state = state;
  swapcontext(&fiber.context, &scheduler);
}

void run_fiber() {
  entry(arguments);
  wait(DONE);
}

// ---- products of matrices: the layouts are those of core/runtime/emulator/fragments.py, which names their sources ----

struct Place {
  unsigned row, column;
};

Place mma_c(unsigned t, unsigned e) { return {t / 4 + e / 2 * 8, t % 4 * 2 + e % 2}; }
Place simdgroup(unsigned t, unsigned e) {
  return {(t >> 4 & 1) * 4 + (t >> 2 & 1) * 2 + (t >> 1 & 1), (t >> 3 & 1) * 4 + (t & 1) * 2 + e};
}

struct Layout {
  unsigned m, n, k, threads, a_count, b_count, c_count;
  Place (*a)(unsigned, unsigned), (*b)(unsigned, unsigned), (*c)(unsigned, unsigned);
};

const Layout LAYOUTS[] = {
    {16, 8, 16, 32, 8, 4, 4, [](unsigned t, unsigned e) { return Place{t / 4 + e / 2 % 2 * 8, t % 4 * 2 + e % 2 + e / 4 * 8}; },
     [](unsigned t, unsigned e) { return Place{t % 4 * 2 + e % 2 + e / 2 * 8, t / 4}; }, mma_c},
    {16, 8, 8, 32, 4, 2, 4, [](unsigned t, unsigned e) { return Place{t / 4 + e / 2 * 8, t % 4 * 2 + e % 2}; },
     [](unsigned t, unsigned e) { return Place{t % 4 * 2 + e, t / 4}; }, mma_c},
    {16, 16, 16, 32, 16, 16, 8, [](unsigned t, unsigned e) { return Place{t % 16, e}; },
     [](unsigned t, unsigned e) { return Place{e, t % 16}; },
     [](unsigned t, unsigned e) { return Place{e * 2 + t / 16, t % 16}; }},
    {16, 16, 16, 64, 4, 4, 4, [](unsigned t, unsigned e) { return Place{t % 16, t / 16 * 4 + e}; },
     [](unsigned t, unsigned e) { return Place{t / 16 * 4 + e, t % 16}; },
     [](unsigned t, unsigned e) { return Place{t / 16 * 4 + e, t % 16}; }},
    {8, 8, 8, 32, 2, 2, 2, simdgroup, simdgroup, simdgroup},
};

double element_of(simt_type type, const void *at, unsigned element) {
  switch (type) {
    case SIMT_HALF: return (float)((const _Float16 *)at)[element];
    case SIMT_BFLOAT16: return (float)((const __bf16 *)at)[element];
    default: return ((const float *)at)[element];
  }
}

void set_element(simt_type type, void *at, unsigned element, double value) {
  switch (type) {
    case SIMT_HALF: ((_Float16 *)at)[element] = (_Float16)value; break;
    case SIMT_BFLOAT16: ((__bf16 *)at)[element] = (__bf16)(float)value; break;
    default: ((float *)at)[element] = (float)value;
  }
}

// Of a product in halves, RDNA3 has its elements in every second place.
unsigned stride(const Product &product) { return product.unit == SIMT_WMMA && product.out == SIMT_HALF ? 2 : 1; }

void multiply(unsigned first) {
  const Product &product = fibers[first].product;
  const Layout &layout = LAYOUTS[product.unit];
  static double a[16][16], b[16][16], c[16][16];
  for (unsigned t = 0; t < layout.threads; t++) {
    const Product &own = fibers[first + t].product;
    for (unsigned e = 0; e < layout.a_count; e++) {
      Place at = layout.a(t, e);
      a[at.row][at.column] = element_of(own.in, own.a, e);
    }
    for (unsigned e = 0; e < layout.b_count; e++) {
      Place at = layout.b(t, e);
      b[at.row][at.column] = element_of(own.in, own.b, e);
    }
    for (unsigned e = 0; e < layout.c_count; e++) {
      Place at = layout.c(t, e);
      c[at.row][at.column] = element_of(own.out, own.c, e * stride(own));
    }
  }
  for (unsigned t = 0; t < layout.threads; t++) {
    const Product &own = fibers[first + t].product;
    for (unsigned e = 0; e < layout.c_count; e++) {
      Place at = layout.c(t, e);
      double sum = c[at.row][at.column];
      for (unsigned k = 0; k < layout.k; k++) sum += a[at.row][k] * b[k][at.column];
      set_element(own.out, own.c, e * stride(own), sum);
    }
    fibers[first + t].state = READY;
  }
}

bool all(unsigned first, unsigned count, State state) {
  for (unsigned thread = first; thread < first + count; thread++)
    if (fibers[thread].state != state) return false;
  return true;
}

// Let the threads go on that wait for nothing more. Whether there were any.
bool release(unsigned threads) {
  if (all(0, threads, AT_BARRIER)) {
    for (unsigned thread = 0; thread < threads; thread++) fibers[thread].state = READY;
    return true;
  }
  bool any = false;
  for (unsigned thread = 0; thread < threads; thread++) {
    if (fibers[thread].state != AT_PRODUCT) continue;
    unsigned warp = LAYOUTS[fibers[thread].product.unit].threads;
    if (thread % warp == 0 && thread + warp <= threads && all(thread, warp, AT_PRODUCT)) {
      multiply(thread);
      any = true;
    }
  }
  return any;
}

Outcome run_block(unsigned threads) {
  for (unsigned thread = 0; thread < threads; thread++) {
    Fiber &fiber = fibers[thread];
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = stacks + thread * STACK + PAGE;
    fiber.context.uc_stack.ss_size = STACK - PAGE;
    fiber.context.uc_link = &scheduler;
    makecontext(&fiber.context, run_fiber, 0);
    fiber.state = READY;
  }
  for (;;) {
    for (current = 0; current < threads; current++) {
      if (fibers[current].state != READY) continue;
      place(current);
      swapcontext(&scheduler, &fibers[current].context);
    }
    if (all(0, threads, DONE)) return FINE;
    if (!release(threads)) return DIVERGED;
  }
}

Outcome run_blocks(unsigned threads) {
  for (simt_group.z = 0; simt_group.z < simt_groups.z; simt_group.z++)
    for (simt_group.y = 0; simt_group.y < simt_groups.y; simt_group.y++)
      for (simt_group.x = 0; simt_group.x < simt_groups.x; simt_group.x++) {
        if (in_fiber) {
          if (Outcome outcome = run_block(threads)) return outcome;
          continue;
        }
        for (unsigned thread = 0; thread < threads; thread++) {
          place(thread);
          entry(arguments);
        }
      }
  return FINE;
}

}  // namespace

extern "C" {

// Libraries of compilers before gcc 13 lack it: the upper half of a float, rounded to nearest, ties to even.
__bf16 __truncsfbf2(float value) {
  unsigned bits = __builtin_bit_cast(unsigned, value);
  bits = value == value ? bits + 0x7fff + (bits >> 16 & 1) : bits | 0x400000;
  return __builtin_bit_cast(__bf16, (unsigned short)(bits >> 16));
}

void simt_barrier() {
  if (in_fiber) wait(AT_BARRIER);
}

void simt_product(simt_unit unit, simt_type in, simt_type out, const void *a, const void *b, void *c) {
  fibers[current].product = Product{unit, in, out, a, b, c};
  wait(AT_PRODUCT);
}

// Runs `kernel` for `groups` blocks of `threads`. `place` takes the block and thread of an error and, of a fault, the address.
int simt_run(void (*kernel)(void **), void **given, const unsigned *groups, const unsigned *threads, int waits,
             unsigned long *where) {
  simt_groups = uint3{groups[0], groups[1], groups[2]};
  simt_threads = uint3{threads[0], threads[1], threads[2]};
  unsigned count = threads[0] * threads[1] * threads[2];
  entry = kernel;
  arguments = given;
  in_fiber = waits;
  if (waits && count > MOST_THREADS) return NO_MEMORY;
  if (waits && !stacks) {
    void *got = mmap(0, MOST_THREADS * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (got == MAP_FAILED) return NO_MEMORY;
    stacks = (unsigned char *)got;
    for (unsigned thread = 0; thread < MOST_THREADS; thread++) mprotect(stacks + thread * STACK, PAGE, PROT_NONE);
  }

  static unsigned char alternate[64 << 10];
  stack_t own = {}, before = {};
  own.ss_sp = alternate;
  own.ss_size = sizeof alternate;
  sigaltstack(&own, &before);
  struct sigaction action = {}, old[4];
  const int signals[4] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (int i = 0; i < 4; i++) sigaction(signals[i], &action, &old[i]);

  int outcome;
  if (sigsetjmp(escape, 1))
    outcome = fault_signal == SIGSEGV || fault_signal == SIGBUS ? FAULT : TRAP;
  else
    outcome = run_blocks(count);

  for (int i = 0; i < 4; i++) sigaction(signals[i], &old[i], 0);
  sigaltstack(&before, 0);
  where[0] = simt_group.x + simt_groups.x * (simt_group.y + (unsigned long)simt_groups.y * simt_group.z);
  where[1] = simt_thread.x + simt_threads.x * (simt_thread.y + (unsigned long)simt_threads.y * simt_thread.z);
  where[2] = (unsigned long)fault_address;
  return outcome;
}
}
