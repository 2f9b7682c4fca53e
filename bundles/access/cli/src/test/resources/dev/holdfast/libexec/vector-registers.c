/* Two processes that keep different numbers in vector registers while the kernel switches between
   them. Each adds 1 to four numbers at once, 200,000 times, in AVX registers where there are any. */
#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 200000, EVERY = 1000 };
typedef double four __attribute__((vector_size(32)));

__attribute__((target("avx"))) static int with_avx(double first) {
  four sum = {first, first + 1, first + 2, first + 3};
  for (int i = 0; i < ROUNDS; i++) {
    sum += (four){1, 1, 1, 1};
    __asm__ volatile("" : "+x"(sum)); /* stays in a register */
    if (i % EVERY == 0) sched_yield();
  }
  for (int i = 0; i < 4; i++) {
    if (sum[i] != first + i + ROUNDS) return 1;
  }
  return 0;
}

static int with_sse(double first) {
  double sum = first;
  for (int i = 0; i < ROUNDS; i++) {
    sum += 1;
    __asm__ volatile("" : "+x"(sum));
    if (i % EVERY == 0) sched_yield();
  }
  return sum == first + ROUNDS ? 0 : 1;
}

int main(void) {
  int avx = __builtin_cpu_supports("avx"), failed = 0, status;
  for (int i = 0; i < 2; i++) {
    if (fork() == 0) _exit(avx ? with_avx(1e6 * i) : with_sse(1e6 * i));
  }
  while (wait(&status) > 0) failed |= status;
  puts(failed ? "registers were mixed up" : "registers kept");
  return failed != 0;
}
