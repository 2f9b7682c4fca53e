package dev.holdfast.engine.lvm.blobs.internal.lvm;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.ProgramCall;
import dev.holdfast.host.ProgramResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs programs of LVM, all with the same settings: dmeventd does not watch pools, and the kernel
 * raises an event when a pool is filled to the threshold. Device nodes are made also where no udev
 * makes them. Suspended devices are not read, because a device of a host that is held is one of
 * them. A command without these settings would take them from a pool that it changes. Thread-safe.
 */
final class LvmCommands {
  private static final String SETTINGS =
      "devices{ignore_suspended_devices=1}"
          + " activation{monitoring=0 verify_udev_operations=1 error_when_full=0"
          + " thin_pool_autoextend_threshold="
          + PoolGrowth.THRESHOLD
          + "}";

  private static final Duration TIMEOUT = Duration.ofMinutes(5);
  private static final String PACKAGE = "lvm2";

  private final Host host;

  LvmCommands(Host host) {
    this.host = host;
  }

  Host host() {
    return host;
  }

  /**
   * Runs a program that must succeed.
   *
   * @param subject of messages
   * @return what it printed
   */
  String run(String subject, String program, String... arguments) throws StorageException {
    ProgramResult result = result(program, arguments);
    if (result.exitCode() != 0) {
      throw failure(subject, program, result);
    }
    if (result.truncated()) {
      throw new StorageException(
          ErrorCode.INTERNAL, subject + ": " + program + " printed more than can be read");
    }
    return result.output();
  }

  /** Runs a program that may fail. */
  ProgramResult result(String program, String... arguments) throws StorageException {
    List<String> command = new ArrayList<>();
    command.add(host.require(program, PACKAGE));
    command.add("--config=" + SETTINGS);
    command.addAll(List.of(arguments));
    return host.run(ProgramCall.of(TIMEOUT, command));
  }

  private static StorageException failure(String subject, String program, ProgramResult result) {
    String all = result.all();
    String text = subject + ": " + program + ": " + result.lastLines();
    if (all.contains("not detected in your kernel")
        || all.contains("Required device-mapper target")) {
      return new StorageException(
          ErrorCode.UNSUPPORTED, text + ": load the module: modprobe dm-thin-pool");
    }
    if (all.contains("device-mapper driver")) {
      return new StorageException(
          ErrorCode.UNSUPPORTED, text + ": load the module: modprobe dm-mod");
    }
    if (all.contains("nsufficient") || all.contains("reached threshold")) {
      return new StorageException(
          ErrorCode.NO_SPACE, text + ": add a disk to the group: vgextend GROUP DISK");
    }
    if (all.contains("in use") || all.contains("locked by other host")) {
      return new StorageException(ErrorCode.BUSY, text);
    }
    if (all.contains("not found") || all.contains("Failed to find")) {
      return new StorageException(ErrorCode.NOT_FOUND, text);
    }
    return new StorageException(ErrorCode.IO, text);
  }
}
