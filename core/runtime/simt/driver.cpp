// Runs the threads of a kernel on one thread of the CPU, a block after the other.
//
// A kernel in which threads wait for each other has a fiber a thread: at a barrier the next fiber runs. All threads of a
// block must come to it; if one has ended instead, that is an error. A product of matrices is computed once all threads
// of a warp have come to theirs. Any other kernel is a loop. Before each block the memory that it shares is filled with
// what the caller says. An access outside of memory is caught as the signal it raises, and reported.
#include "simt_products.h"

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
enum Outcome { FINE, FAULT, TRAP, DIVERGED, NO_MEMORY, OUTSIDE, MISALIGNED, UNEQUAL, UNEXPECTED };

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

unsigned char *shared_start, *shared_end;
int shared_fill;

sigjmp_buf escape;
Outcome escaped;
void *fault_address;

[[noreturn]] void leave(Outcome outcome) {
  escaped = outcome;
  siglongjmp(escape, 1);
}

// Whether the instruction is a trap of clang's for an array. It has a number, which the other traps have not.
bool checks_array(const void *instruction) {
#if defined(__x86_64__)
  const unsigned char ud1[] = {0x67, 0x0f, 0xb9, 0x40};
  return !memcmp(instruction, ud1, sizeof ud1);
#else  // brk of AArch64, with the letter U above the number
  unsigned word;
  memcpy(&word, instruction, sizeof word);
  return (word & 0xffe00000) == 0xd4200000 && (word >> 13 & 0xff) == 'U';
#endif
}

void on_signal(int number, siginfo_t *info, void *) {
  fault_address = info->si_addr;
  bool trap = number == SIGILL || number == SIGTRAP;
  leave(trap && checks_array(info->si_addr) ? OUTSIDE : trap || number == SIGFPE ? TRAP : FAULT);
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

bool all(unsigned first, unsigned count, State state) {
  for (unsigned thread = first; thread < first + count; thread++)
    if (fibers[thread].state != state) return false;
  return true;
}

// The product of the threads of a warp from `first` on, each of which gets its part.
Outcome multiply(unsigned first) {
  const Product &product = fibers[first].product;
  const Layout &layout = LAYOUTS[product.unit];
  Matrix a = {}, b = {}, c = {};
  for (unsigned t = 0; t < layout.threads; t++) {
    const Product &own = fibers[first + t].product;
    if (own.unit != product.unit || own.in != product.in || own.out != product.out) return DIVERGED;
    bool same = true;
    for (unsigned e = 0; e < layout.a_count; e++) same &= a.take(layout.a(t, e), element_of(own.in, own.a, e));
    for (unsigned e = 0; e < layout.b_count; e++) same &= b.take(layout.b(t, e), element_of(own.in, own.b, e));
    for (unsigned e = 0; e < layout.c_count; e++)
      same &= c.take(layout.c(t, e), element_of(own.out, own.c, e * stride(own)));
    if (!same) {
      place(first + t);
      return UNEQUAL;
    }
  }
  for (unsigned t = 0; t < layout.threads; t++) {
    const Product &own = fibers[first + t].product;
    for (unsigned e = 0; e < layout.c_count; e++) {
      Place at = layout.c(t, e);
      double sum = c.values[at.row][at.column];
      for (unsigned k = 0; k < layout.k; k++) sum += a.values[at.row][k] * b.values[k][at.column];
      set_element(own.out, own.c, e * stride(own), sum);
    }
    fibers[first + t].state = READY;
  }
  return FINE;
}

// Let the threads go on that wait for nothing more. It is an error if there are none.
Outcome release(unsigned threads) {
  if (all(0, threads, AT_BARRIER)) {
    for (unsigned thread = 0; thread < threads; thread++) fibers[thread].state = READY;
    return FINE;
  }
  bool any = false;
  for (unsigned thread = 0; thread < threads; thread++) {
    if (fibers[thread].state != AT_PRODUCT) continue;
    unsigned warp = LAYOUTS[fibers[thread].product.unit].threads;
    if (thread % warp == 0 && thread + warp <= threads && all(thread, warp, AT_PRODUCT)) {
      if (Outcome outcome = multiply(thread)) return outcome;
      any = true;
    }
  }
  return any ? FINE : DIVERGED;
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
    if (Outcome outcome = release(threads)) return outcome;
  }
}

Outcome run_blocks(unsigned threads) {
  for (simt_group.z = 0; simt_group.z < simt_groups.z; simt_group.z++)
    for (simt_group.y = 0; simt_group.y < simt_groups.y; simt_group.y++)
      for (simt_group.x = 0; simt_group.x < simt_groups.x; simt_group.x++) {
        if (shared_start) memset(shared_start, shared_fill, shared_end - shared_start);
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

// What clang's check of alignments calls.
void __ubsan_handle_type_mismatch_v1_abort(void *, unsigned long) { leave(MISALIGNED); }

void simt_barrier() {
  if (in_fiber)
    wait(AT_BARRIER);
  else
    leave(UNEXPECTED);
}

void simt_product(simt_unit unit, simt_type in, simt_type out, const void *a, const void *b, void *c) {
  if (!in_fiber) leave(UNEXPECTED);
  fibers[current].product = Product{unit, in, out, a, b, c};
  wait(AT_PRODUCT);
}

// Runs `kernel` for `groups` blocks of `threads`. `shared` is where the arrays of a block start and end, which are filled
// with the byte `fill`; `where` takes the block and thread of an error and, of a fault, the address.
int simt_run(void (*kernel)(void **), void **given, const unsigned *groups, const unsigned *threads, int waits,
             unsigned char *const *shared, int fill, unsigned long *where) {
  simt_groups = uint3{groups[0], groups[1], groups[2]};
  simt_threads = uint3{threads[0], threads[1], threads[2]};
  unsigned count = threads[0] * threads[1] * threads[2];
  entry = kernel;
  arguments = given;
  in_fiber = waits;
  shared_start = shared[0];
  shared_end = shared[1];
  shared_fill = fill;
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
  struct sigaction action = {}, old[5];
  const int signals[5] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (int i = 0; i < 5; i++) sigaction(signals[i], &action, &old[i]);

  int outcome;
  if (sigsetjmp(escape, 1))
    outcome = escaped;
  else
    outcome = run_blocks(count);

  for (int i = 0; i < 5; i++) sigaction(signals[i], &old[i], 0);
  sigaltstack(&before, 0);
  where[0] = simt_group.x + simt_groups.x * (simt_group.y + (unsigned long)simt_groups.y * simt_group.z);
  where[1] = simt_thread.x + simt_threads.x * (simt_thread.y + (unsigned long)simt_threads.y * simt_thread.z);
  where[2] = (unsigned long)fault_address;
  return outcome;
}
}
