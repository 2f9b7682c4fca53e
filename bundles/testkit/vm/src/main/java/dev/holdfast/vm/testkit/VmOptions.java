package dev.holdfast.vm.testkit;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A virtual machine of {@code libexec/vm}.
 *
 * @param memoryMebibytes memory in MiB
 * @param modules kernel modules to load first
 * @param options additional options of {@code libexec/vm}, such as {@code -d FILE:SIZE} for a disk
 *     or {@code -u} for udevd
 * @param lifetime time after which the machine is killed
 */
public record VmOptions(
    int memoryMebibytes, List<String> modules, List<String> options, Duration lifetime) {
  /** Copies the lists. */
  public VmOptions {
    modules = List.copyOf(modules);
    options = List.copyOf(options);
  }

  /** Returns user-mode Linux with 512 MiB and some modules, for at most 5 minutes. */
  public static VmOptions of(String... modules) {
    return new VmOptions(512, List.of(modules), List.of(), Duration.ofMinutes(5));
  }

  /** Returns the same machine with an additional disk; the first one is {@code /dev/vda}. */
  public VmOptions withDisk(Path file, String size) {
    return withOptions("-d", file + ":" + size);
  }

  /** Returns the same machine with additional options of {@code libexec/vm}. */
  public VmOptions withOptions(String... further) {
    List<String> all = new java.util.ArrayList<>(options);
    all.addAll(List.of(further));
    return new VmOptions(memoryMebibytes, modules, all, lifetime);
  }

  List<String> command() {
    List<String> command = new java.util.ArrayList<>();
    command.addAll(List.of("-m", Integer.toString(memoryMebibytes)));
    command.addAll(List.of("-t", Long.toString(lifetime.toSeconds())));
    command.addAll(List.of("-M", String.join(" ", modules)));
    command.addAll(options);
    return command;
  }
}
