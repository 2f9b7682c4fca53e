package dev.holdfast.csi.internal.node;

import dev.holdfast.client.ResourceWait;
import dev.holdfast.client.Waiting;
import dev.holdfast.csi.internal.server.CallReplies;
import dev.holdfast.csi.internal.server.CsiStatus;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.NfsExport;
import dev.holdfast.host.NfsMounts;
import dev.holdfast.host.ProgramCall;
import dev.holdfast.initiator.MountTable;
import dev.holdfast.mounts.NfsOptions;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.share.ShareManager;
import dev.holdfast.store.ResourceStore;
import io.grpc.StatusException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Mounts the export of a volume's share at the staging path, and binds it to the paths of
 * workloads, and reverses this. Steps do not wait for a lost server. The record names the export
 * before the mount, and a mount of another export is removed before the record changes. Therefore
 * an existing mount always is the recorded one. Thread-safe for different volumes.
 */
final class ShareStaging {
  /** Time limit for the reappearance of a moving share. */
  private static final Duration APPEARANCE = Duration.ofSeconds(30);

  /**
   * Time without an answer after which a mount is removed by force; a restart of the server is
   * shorter.
   */
  private static final Duration PATIENCE = Duration.ofSeconds(25);

  private static final Duration SHORT = Duration.ofSeconds(5);

  private final Host host;
  private final ResourceStore store;
  private final StagedVolumes staged;
  private final NfsMounts mounts;

  ShareStaging(Host host, ResourceStore store, StagedVolumes staged) {
    this.host = host;
    this.store = store;
    this.staged = staged;
    this.mounts = new NfsMounts(host);
  }

  /**
   * Mounts the export at the recorded path, unless it is mounted there and its server answers.
   *
   * @throws StatusException UNAVAILABLE when the share does not run, or does not answer
   */
  StagedVolume ensure(Volume volume, StagedVolume plan) throws StorageException, StatusException {
    Path point = Path.of(plan.stagingPath());
    staged.write(plan);
    NfsExport export = export(volume);
    Optional<MountTable.Mount> present = mounts.at(point);
    List<StagedVolume.Target> shown = new ArrayList<>();
    if (present.isPresent()) {
      requireOurs(plan, present.get());
      if (mounts.isServed(plan.device(), export, point)) {
        return plan;
      }
      shown.addAll(release(plan));
      mounts.unmount(point, SHORT);
    }
    StagedVolume known = staged.write(plan.on(export.toString(), NfsMounts.TYPE));
    mounts.mount(export, point, options(volume, plan), CallReplies.waiting().timeout());
    for (StagedVolume.Target target : shown) {
      bind(known, Path.of(target.path()), target.readOnly());
    }
    return known;
  }

  /**
   * Removes the bind mounts of a stale mount. As long as one exists, the kernel keeps the
   * filesystem and reuses it for the next mount of the export, and the bind stays stale.
   *
   * @return the removed bind mounts
   */
  private List<StagedVolume.Target> release(StagedVolume plan) throws StorageException {
    List<StagedVolume.Target> shown = new ArrayList<>();
    for (StagedVolume.Target target : plan.targets()) {
      Path path = Path.of(target.path());
      if (shows(path)) {
        shown.add(target);
        mounts.release(path);
      }
    }
    return shown;
  }

  private static void requireOurs(StagedVolume plan, MountTable.Mount present)
      throws StatusException {
    if (!plan.isShare() || !present.filesystem().equals(NfsMounts.TYPE)) {
      throw CsiStatus.failedPrecondition(
          "volume "
              + plan.volume()
              + ": "
              + plan.stagingPath()
              + " has "
              + present.source()
              + " mounted already, by another program");
    }
  }

  private static StatusException silent(String volume, String export) {
    return CsiStatus.unavailable(
        "volume " + volume + ": its share " + export + " does not answer, try again");
  }

  private NfsExport export(Volume volume) throws StorageException, StatusException {
    Duration left = CallReplies.waiting().timeout();
    try (ResourceWait observation = new ResourceWait(store)) {
      var seen = observation.follow(Volume.KIND, volume.name());
      return NfsExport.of(
          observation.await(
              "volume " + volume.name(),
              Waiting.upTo(left.compareTo(APPEARANCE) < 0 ? left : APPEARANCE),
              () -> seen.latest().map(v -> v.status().shareEndpoint()).filter(e -> !e.isEmpty()),
              () -> "its share, which is not running"));
    } catch (StorageException e) {
      if (e.code() == ErrorCode.TIMEOUT) {
        throw CsiStatus.unavailable(e.getMessage());
      }
      throw e;
    }
  }

  /** Returns the mount options of the share and of the claim. */
  private List<String> options(Volume volume, StagedVolume plan) throws StorageException {
    List<String> options =
        new ArrayList<>(NfsOptions.of(store.get(ShareManager.KIND, volume.name())));
    options.addAll(plan.flags());
    if (plan.access().readsOnly()) {
      options.add("ro");
    }
    return options;
  }

  /** Binds the staged export to a directory, which is created. */
  void bind(StagedVolume record, Path target, boolean readOnly) throws StorageException {
    Optional<MountTable.Mount> source = mounts.at(Path.of(record.stagingPath()));
    Optional<MountTable.Mount> present = mounts.at(target);
    if (present.isPresent() && !present.get().filesystem().equals(NfsMounts.TYPE)) {
      throw new StorageException(
          ErrorCode.BUSY, target + " has " + present.get().source() + " mounted already");
    }
    boolean same =
        present.isPresent()
            && source.isPresent()
            && present.get().deviceNumber().equals(source.get().deviceNumber());
    if (!same) {
      mounts.release(target);
      Path point = host.files().createFolder(target);
      mount("--bind", record.stagingPath(), point.toString());
    }
    if (readOnly) {
      mount("-o", "remount,bind,ro", host.files().real(target).toString());
    }
  }

  private void mount(String... words) throws StorageException {
    List<String> command = new ArrayList<>(List.of(host.require("mount", "mount")));
    command.addAll(List.of(words));
    String unused = host.check(ProgramCall.of(APPEARANCE, command));
  }

  /** Returns whether a share is mounted at a path, even if its server does not answer. */
  boolean shows(Path path) throws StorageException {
    return mounts.at(path).filter(mount -> mount.filesystem().equals(NfsMounts.TYPE)).isPresent();
  }

  /** Removes a bind mount at a path. */
  void unbind(Path target) throws StorageException {
    mounts.release(target);
  }

  /** Unmounts the staged export, even if its server is lost. */
  void unstage(StagedVolume record) throws StorageException {
    Duration left = CallReplies.waiting().timeout().dividedBy(2);
    mounts.unmount(Path.of(record.stagingPath()), left.compareTo(PATIENCE) < 0 ? left : PATIENCE);
  }

  /**
   * Requires that the share answers at a path.
   *
   * @throws StatusException UNAVAILABLE
   */
  void requireServed(StagedVolume record, Path path) throws StorageException, StatusException {
    if (mounts.answer(path, SHORT) != NfsMounts.Answer.SERVED) {
      throw silent(record.volume(), record.device());
    }
  }

  /** Checks whether the server of the staged export answers. */
  NfsMounts.Answer answer(StagedVolume record) throws StorageException {
    return mounts.answer(Path.of(record.stagingPath()), SHORT);
  }
}
