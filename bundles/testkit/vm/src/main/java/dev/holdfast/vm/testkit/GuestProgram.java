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
 * of the machine and not only its programs. It takes some seconds longer than a command of {@link
 * VmHost}, because it starts another JVM. Stateless.
 */
public final class GuestProgram {
  private GuestProgram() {}

  /**
   * Runs the main method of a class and waits for its end.
   *
   * @param machine the virtual machine
   * @param limit time limit, after which the program is killed
   * @param main class with the main method
   * @param arguments arguments of the method
   * @return exit code and output
   * @throws StorageException TIMEOUT after the limit; UNREACHABLE when the machine has ended; IO
   */
  public static ProgramResult run(
      Host machine, Duration limit, Class<?> main, List<String> arguments) throws StorageException {
    return machine.run(ProgramCall.of(limit, command(main, arguments)));
  }

  /**
   * Starts the main method of a class that communicates with the test.
   *
   * @param machine the virtual machine
   * @param main class with the main method
   * @param arguments arguments of the method
   * @return the program, which the test ends
   * @throws StorageException UNREACHABLE when the machine has ended; IO
   */
  public static HostProcess start(Host machine, Class<?> main, List<String> arguments)
      throws StorageException {
    return machine.start(command(main, arguments));
  }

  private static List<String> command(Class<?> main, List<String> arguments) {
    List<String> command = new ArrayList<>();
    // File names may contain any characters.
    command.addAll(List.of("/usr/bin/env", "LC_ALL=C.UTF-8"));
    command.add(ProcessHandle.current().info().command().orElseThrow());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"));
    command.addAll(List.of("-cp", classPath(), main.getName()));
    command.addAll(arguments);
    return command;
  }

  /** Returns absolute paths, because a program in the machine has another working directory. */
  private static String classPath() {
    String path =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    return Arrays.stream(path.split(File.pathSeparator))
        .map(entry -> Path.of(entry).toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }
}
