package dev.holdfast.engine.lvm.blobs.internal.locks;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.ProgramCall;
import dev.holdfast.host.ProgramResult;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The lock daemons of a host. Only reads their state. Thread-safe. */
public final class LockDaemons {
  private static final Duration SHORT = Duration.ofMinutes(1);

  private final Host host;

  /** Reads the daemons of a host. */
  public LockDaemons(Host host) {
    this.host = host;
  }

  /** Returns the name of the lock space of a group. */
  public static String lockSpace(String group) {
    return "lvm_" + group;
  }

  private ProgramResult run(String program, String debianPackage, String... arguments)
      throws StorageException {
    List<String> command = new ArrayList<>(List.of(host.require(program, debianPackage)));
    command.addAll(List.of(arguments));
    return host.run(ProgramCall.of(SHORT, command));
  }

  private ProgramResult sanlock(String... arguments) throws StorageException {
    return run("sanlock", "sanlock", arguments);
  }

  private String sanlockOutput(String subject, String... arguments) throws StorageException {
    ProgramResult result = sanlock(arguments);
    if (result.exitCode() != 0) {
      throw new StorageException(
          ErrorCode.IO, subject + ": sanlock " + arguments[1] + " failed: " + result.lastLines());
    }
    return result.output();
  }

  /** Returns whether sanlock answers. */
  public boolean sanlockRuns() throws StorageException {
    return sanlock("client", "status").exitCode() == 0;
  }

  /** Returns what lvmlockd knows of its lock spaces and locks; empty when it does not answer. */
  public Optional<String> lvmlockd() throws StorageException {
    ProgramResult result = run("lvmlockctl", "lvm2-lockd", "--info");
    return result.exitCode() == 0 ? Optional.of(result.output()) : Optional.empty();
  }

  /** Returns whether the output of lvmlockd lists the lock space of a group. */
  public static boolean lists(String info, String group) {
    return info.lines().anyMatch(line -> line.strip().equals("LS sanlock " + lockSpace(group)));
  }

  /** Returns the second of the monotonic clock that the times of sanlock are of. */
  public long now() throws StorageException {
    return SanlockText.number(sanlockOutput("sanlock", "client", "status", "-D"), "monotime");
  }

  /** Returns the hosts of a group's lock space. */
  public List<LockSpaceHost> hosts(String group) throws StorageException {
    return LockSpaceHost.parse(
        sanlockOutput(
            "lock space of volume group " + group,
            "client",
            "host_status",
            "-s",
            lockSpace(group),
            "-D"));
  }

  /**
   * Reads a lease from the disk.
   *
   * @param device with the leases of the group
   * @param offset of the lease on it
   */
  public DiskLease lease(String group, String volumeUuid, Path device, long offset)
      throws StorageException {
    String resource = lockSpace(group) + ":" + volumeUuid + ":" + device + ":" + offset;
    return DiskLease.parse(
        sanlockOutput("lock " + resource, "direct", "read_leader", "-r", resource));
  }
}
