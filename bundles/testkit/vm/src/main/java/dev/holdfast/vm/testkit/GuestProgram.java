package dev.holdfast.vm.testkit;

import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.HostProcess;
import dev.holdfast.host.ProgramCall;
import dev.holdfast.host.ProgramResult;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A class of the test's class path that runs in a virtual machine, for code that needs the kernel
 * there and not only programs. It costs some seconds more than a command of {@link VmHost}, because
 * it starts a Java of its own. Stateless.
 */
public final class GuestProgram {
  private GuestProgram() {}

  /**
   * Runs the main method of a class and waits for its end.
   *
   * @param machine in which it runs
   * @param limit after which it is killed
   * @param main with the main method
   * @param arguments of it
   * @return its exit code and what it printed
   * @throws StorageException TIMEOUT after the limit; UNREACHABLE when the machine is gone; IO
   */
  public static ProgramResult run(
      Host machine, Duration limit, Class<?> main, List<String> arguments) throws StorageException {
    return machine.run(ProgramCall.of(limit, command(main, arguments)));
  }

  /**
   * Starts the main method of a class, which the test talks to.
   *
   * @param machine in which it runs
   * @param main with the main method
   * @param arguments of it
   * @return the program, which the test ends
   * @throws StorageException UNREACHABLE when the machine is gone; IO
   */
  public static HostProcess start(Host machine, Class<?> main, List<String> arguments)
      throws StorageException {
    return machine.start(command(main, arguments));
  }

  private static List<String> command(Class<?> main, List<String> arguments) {
    List<String> command = new ArrayList<>();
    // Names of files may have any character.
    command.addAll(List.of("/usr/bin/env", "LC_ALL=C.UTF-8"));
    command.add(ProcessHandle.current().info().command().orElseThrow());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"));
    command.addAll(List.of("-cp", classPath(), main.getName()));
    command.addAll(arguments);
    return command;
  }

  /** Absolute, because the directory of a program in the machine is another one. */
  private static String classPath() {
    String path =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    return Arrays.stream(path.split(File.pathSeparator))
        .map(entry -> Path.of(entry).toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }
}
