package dev.holdfast.host;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.MountTable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Mounts NFS exports on a host, and unmounts them even when their server is unreachable. This
 * process never accesses a mounted directory itself: a separate program does each check, and is
 * abandoned after a time-out. Stateless.
 */
public final class NfsMounts {
  /** The type of the filesystem, as the mount table names it. */
  public static final String TYPE = "nfs4";

  private static final Duration SHORT = Duration.ofSeconds(10);
  private static final Duration LONG = Duration.ofSeconds(60);

  private final Host host;
  private final HostMounts mounts;

  /** Creates access to the mounts of a host. */
  public NfsMounts(Host host) {
    this.host = host;
    this.mounts = new HostMounts(host);
  }

  /** Result of checking a mount. */
  public enum Answer {
    /** The server knows the export. */
    SERVED,
    /** The server replied that the export is stale. */
    STALE,
    /** The server did not answer in time. */
    SILENT
  }

  /**
   * Returns the topmost mount at a directory, without accessing the directory.
   *
   * @throws StorageException IO
   */
  public Optional<MountTable.Mount> at(Path directory) throws StorageException {
    return mounts.at(host.files().real(directory));
  }

  /**
   * Mounts an export on a directory without a mount; creates the directory when it is absent.
   *
   * @param options of mount(8)
   * @param limit duration after which the attempt is abandoned
   * @throws StorageException UNSUPPORTED when the host cannot mount NFS; UNREACHABLE when the
   *     server does not answer; FORBIDDEN when it refuses this host; IO
   */
  public void mount(NfsExport export, Path directory, List<String> options, Duration limit)
      throws StorageException {
    String unused = host.require("mount.nfs", "nfs-common");
    Path point = host.files().createFolder(directory);
    List<String> all = new ArrayList<>(options);
    // The caller retries a failed mount, because it knows whether the export has moved.
    all.addAll(List.of("port=" + export.port(), "retry=0"));
    List<String> command =
        List.of(
            host.require("mount", "mount"),
            "-t",
            TYPE,
            "-o",
            String.join(",", all),
            export.source(),
            point.toString());
    ProgramResult result;
    try {
      result = host.run(ProgramCall.of(bounded(limit), command));
    } catch (StorageException e) {
      throw e.code() == ErrorCode.TIMEOUT
          ? new StorageException(ErrorCode.UNREACHABLE, export + ": " + e.getMessage(), e)
          : e;
    }
    if (result.exitCode() != 0) {
      throw failed(export, result.all());
    }
  }

  /**
   * Removes the directory of an export that was unmounted; succeeds when it is absent.
   *
   * @throws StorageException BUSY when it is not empty, or something is mounted on it; IO
   */
  public void removePoint(Path directory) throws StorageException {
    host.files().delete(directory);
  }

  private static Duration bounded(Duration limit) {
    Duration least = Duration.ofSeconds(1);
    return limit.compareTo(LONG) > 0 ? LONG : limit.compareTo(least) < 0 ? least : limit;
  }

  private static StorageException failed(NfsExport export, String said) {
    if (said.contains("access denied") || said.contains("not permitted")) {
      return new StorageException(
          ErrorCode.FORBIDDEN,
          export + ": the server refuses this host: permit its address there: " + said);
    }
    if (said.contains("unknown filesystem type") || said.contains("No such device")) {
      return new StorageException(
          ErrorCode.UNSUPPORTED,
          export + ": the kernel of this host has no NFS client: modprobe nfsv4: " + said);
    }
    boolean absent =
        said.contains("refused")
            || said.contains("timed out")
            || said.contains("unreachable")
            || said.contains("No route")
            || said.contains("No such file");
    return new StorageException(
        absent ? ErrorCode.UNREACHABLE : ErrorCode.IO, export + ": could not mount: " + said);
  }

  /**
   * Checks the server of a mount.
   *
   * @param limit after which the server counts as silent
   * @throws StorageException IO when the host cannot check
   */
  public Answer answer(Path directory, Duration limit) throws StorageException {
    String stat = host.require("stat", "coreutils");
    Path point = host.files().real(directory);
    try {
      ProgramResult result =
          host.run(ProgramCall.of(bounded(limit), List.of(stat, "-f", point.toString())));
      return result.exitCode() == 0 ? Answer.SERVED : Answer.STALE;
    } catch (StorageException e) {
      if (e.code() == ErrorCode.TIMEOUT && !Thread.currentThread().isInterrupted()) {
        return Answer.SILENT;
      }
      throw e;
    }
  }

  /**
   * Returns whether a directory shows an export that its server knows. A mount of a moved or stale
   * export must be mounted again.
   *
   * @param mounted endpoint that the caller recorded for the mount
   * @param export the wanted export
   * @throws StorageException UNREACHABLE when the server does not answer: a new mount would wait
   *     for the same server; IO
   */
  public boolean isServed(String mounted, NfsExport export, Path directory)
      throws StorageException {
    if (!mounted.equals(export.toString())) {
      return false;
    }
    return switch (answer(directory, SHORT)) {
      case SERVED -> true;
      case STALE -> false;
      case SILENT ->
          throw new StorageException(
              ErrorCode.UNREACHABLE, "share " + export + " does not answer, try again");
    };
  }

  /**
   * Unmounts a directory without waiting for an unreachable server: requests to a silent server
   * fail, and the directory is free immediately. Succeeds when it is not mounted.
   *
   * @param patience time without an answer after which the server counts as unreachable
   * @throws StorageException BUSY when a program uses the directory while the server answers; IO
   */
  public void unmount(Path directory, Duration patience) throws StorageException {
    Path point = host.files().real(directory);
    while (mounts.at(point).isPresent()) {
      if (answer(point, patience) != Answer.SERVED || !isUnmounted(point, LONG)) {
        boolean unused = isUnmounted(point, SHORT, "-f");
        detach(point);
      }
    }
  }

  /**
   * Unmounts a bind mount of an export, as {@link #unmount} does, without affecting requests of the
   * export's other mounts.
   *
   * @throws StorageException BUSY when a program uses the directory while the server answers; IO
   */
  public void release(Path directory) throws StorageException {
    Path point = host.files().real(directory);
    while (mounts.at(point).isPresent()) {
      if (answer(point, SHORT) != Answer.SERVED || !isUnmounted(point, SHORT)) {
        detach(point);
      }
    }
  }

  /** Detaches the mount immediately; the kernel releases it when no program uses it. */
  private void detach(Path point) throws StorageException {
    boolean done = mounts.at(point).isEmpty() || isUnmounted(point, SHORT, "-l");
    // The program may wait for the server after the directory is free.
    if (!done && mounts.at(point).isPresent()) {
      throw new StorageException(ErrorCode.IO, point + ": could not unmount in time");
    }
  }

  /**
   * Returns false when the unmount did not finish in time, or failed because the server is
   * unreachable.
   */
  private boolean isUnmounted(Path point, Duration limit, String... options)
      throws StorageException {
    List<String> command = new ArrayList<>(List.of(host.require("umount", "mount"), "-c"));
    command.addAll(List.of(options));
    command.add(point.toString());
    ProgramResult result;
    try {
      result = host.run(ProgramCall.of(limit, command));
    } catch (StorageException e) {
      if (e.code() == ErrorCode.TIMEOUT && !Thread.currentThread().isInterrupted()) {
        return false;
      }
      throw e;
    }
    if (options.length == 0 && result.all().contains("busy")) {
      throw new StorageException(
          ErrorCode.BUSY, point + " is in use; 'fuser -vm " + point + "' shows by whom");
    }
    return result.exitCode() == 0;
  }
}
