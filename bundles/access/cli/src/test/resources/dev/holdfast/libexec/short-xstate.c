/*
 * Restores a process's registers as user-mode Linux does on a CPU with AMX: from an area that is
 * shorter than the host's. The process must then continue with its vector registers.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SHORT = 512 + 64, HOST = 64 * 1024 }; /* x87, SSE and the header; any host's whole area */

static char area[HOST] __attribute__((aligned(64)));
static const double value = 1234.5;
static const long word = 0x1234567;

static int traced(void) {
  double before = value, after = 0;
  ptrace(PTRACE_TRACEME, 0, NULL, NULL);
  __asm__ volatile("movsd %1, %%xmm7\n\t"
                   "movl $62, %%eax\n\t" /* kill(own pid, SIGSTOP) */
                   "syscall\n\t"
                   "movsd %%xmm7, %0"
                   : "=m"(after)
                   : "m"(before), "D"((long) getpid()), "S"((long) SIGSTOP)
                   : "rax", "rcx", "r11", "xmm7", "memory");
  return after == 2 * value ? 0 : 3;
}

int main(void) {
  struct iovec whole = {area, sizeof area}, part = {area, SHORT};
  double found;
  int status;
  pid_t child = fork();
  if (child == 0) {
    _exit(traced());
  }
  waitpid(child, &status, 0);
  if (ptrace(PTRACE_GETREGSET, child, (void *) NT_X86_XSTATE, &whole) < 0) {
    perror("PTRACE_GETREGSET");
    return 1;
  }
  memcpy(&found, area + 160 + 7 * 16, sizeof found); /* xmm7 */
  if (found != value || ptrace(PTRACE_PEEKDATA, child, (void *) &word, NULL) != word) {
    fprintf(stderr, "the registers or the memory of the process were not read\n");
    return 1;
  }
  found = 2 * value;
  memcpy(area + 160 + 7 * 16, &found, sizeof found);
  memset(area + SHORT, 0x55, HOST - SHORT); /* not ours to pass */
  if (ptrace(PTRACE_SETREGSET, child, (void *) NT_X86_XSTATE, &part) < 0) {
    fprintf(stderr, "ptrace set fp regs failed, errno = %d\n", errno);
    kill(child, SIGKILL);
    return 2;
  }
  ptrace(PTRACE_CONT, child, NULL, NULL);
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
