package dev.holdfast.libexec;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** The library that user-mode Linux needs on CPUs with AMX, on any x86 CPU. */
@Tag("slow")
@EnabledIfSystemProperty(named = "os.arch", matches = "amd64", disabledReason = "x86 registers")
class XstateLibraryTest {
  @TempDir Path folder;

  private Shell shell;

  @BeforeEach
  void useFolder() {
    shell = new Shell(folder);
  }

  @Test
  void shortAreaIsRefusedByTheHostAndCompletedByTheLibrary() throws Exception {
    String program = program("short-xstate");
    assertThat(shell.run(program).err()).isEqualTo("ptrace set fp regs failed, errno = 14");

    String library = folder.resolve("xstate.so").toString();
    String source = Shell.ROOT.resolve("libexec/vm-xstate.c").toString();
    shell
        .run("gcc", "-Wall", "-Wextra", "-Werror", "-O2", "-shared", "-fPIC", "-o", library, source)
        .succeeded();
    shell.with("LD_PRELOAD", library).run(program).succeeded();
  }

  @Test
  void vmRunsWithTheLibrary() throws Exception {
    String program = program("vector-registers");
    shell.with("HOLDFAST_VM_XSTATE", "yes");
    String guest = "uname -s; " + program;
    Shell.Ended ended =
        shell.holdfast("vm", "-s", folder.toString(), "--", "sh", "-c", guest).succeeded();
    assertThat(ended.out()).isEqualTo("Linux\nregisters kept");
  }

  private String program(String name) throws Exception {
    Path source = folder.resolve(name + ".c");
    try (InputStream text = getClass().getResourceAsStream(name + ".c")) {
      Files.copy(text, source);
    }
    String program = folder.resolve(name).toString();
    shell.run("gcc", "-O2", "-o", program, source.toString()).succeeded();
    return program;
  }
}
