package dev.holdfast.client;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.RequestOutcome;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.ResourceStore;
import java.time.Clock;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Operations of users on the snapshots of a volume. Thread-safe. */
public final class Snapshots {
  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

  private final ResourceStore store;
  private final StoreEditor editor;
  private final SnapshotProgress progress;
  private final Clock clock;

  /** Works on the snapshots of a store; names what is given no name by a clock. */
  public Snapshots(ResourceStore store, Clock clock) {
    this.store = store;
    this.editor = new StoreEditor(store);
    this.progress = new SnapshotProgress(store);
    this.clock = clock;
  }

  /**
   * Requests a snapshot; waits, if wanted, until it is taken.
   *
   * @param name in the volume, empty for one made from the time
   * @throws StorageException NOT_FOUND when there is no such volume; ALREADY_EXISTS; INVALID; BUSY
   *     when the volume is being deleted; IO when it could not be taken; TIMEOUT (it continues)
   */
  public Snapshot create(String volume, Optional<String> name, Waiting waiting)
      throws StorageException {
    return create(volume, name, Map.of(), waiting);
  }

  /**
   * Requests a snapshot with annotations, as {@link #create(String, Optional, Waiting)} does.
   *
   * @param annotations of its resource, not null
   */
  public Snapshot create(
      String volume, Optional<String> name, Map<String, String> annotations, Waiting waiting)
      throws StorageException {
    if (editor.require(Volume.KIND, volume).isBeingDeleted()) {
      throw new StorageException(
          ErrorCode.BUSY, "volume " + volume + " is being deleted and takes no snapshots");
    }
    String wanted = name.orElseGet(() -> "s-" + STAMP.format(clock.instant()));
    if (find(volume, wanted).isPresent()) {
      throw new StorageException(
          ErrorCode.ALREADY_EXISTS, "volume " + volume + " has a snapshot " + wanted + " already");
    }
    Snapshot requested =
        Snapshot.of(
            Snapshot.nameFor(volume, wanted),
            SnapshotSpec.EMPTY.withVolume(volume).withSnapshotName(wanted));
    Snapshot created =
        store.create(requested.withMetadata(requested.metadata().withAnnotations(annotations)));
    return waiting.isWanted()
        ? await(created, waiting, s -> Optional.of(s).filter(x -> x.status().readyToUse()))
        : created;
  }

  /**
   * Returns the snapshots of a volume, by name.
   *
   * @throws StorageException NOT_FOUND when there is no such volume
   */
  public ResourceList<Snapshot> list(String volume) throws StorageException {
    editor.require(Volume.KIND, volume);
    ResourceList<Snapshot> all = store.list(Snapshot.KIND, LabelSelector.ALL);
    return new ResourceList<>(
        all.items().stream().filter(s -> s.spec().volume().equals(volume)).toList(),
        all.resourceVersion());
  }

  /**
   * Returns one snapshot.
   *
   * @param name in the volume, or that of its resource
   * @throws StorageException NOT_FOUND
   */
  public Snapshot get(String volume, String name) throws StorageException {
    editor.require(Volume.KIND, volume);
    return find(volume, name)
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.NOT_FOUND,
                    "volume "
                        + volume
                        + " has no snapshot "
                        + name
                        + ": see 'holdfast snapshot list "
                        + volume
                        + "'"));
  }

  private Optional<Snapshot> find(String volume, String name) throws StorageException {
    List<Snapshot> all =
        store.list(Snapshot.KIND, LabelSelector.ALL).items().stream()
            .filter(s -> s.spec().volume().equals(volume))
            .toList();
    return all.stream()
        .filter(s -> s.nameInVolume().equals(name))
        .findFirst()
        .or(() -> all.stream().filter(s -> s.name().equals(name)).findFirst());
  }

  /**
   * Deletes a snapshot; with waiting, until it is gone, or removed except for data that stays until
   * something else changes ({@link Snapshot#hasKeptData}).
   *
   * @return the snapshot while it is there, empty once it is gone
   * @throws StorageException NOT_FOUND; TIMEOUT (it continues)
   */
  public Optional<Snapshot> delete(String volume, String name, Waiting waiting)
      throws StorageException {
    Snapshot snapshot = get(volume, name);
    Optional<Snapshot> remaining =
        store.delete(Snapshot.KIND, snapshot.name(), snapshot.metadata().uid());
    return remaining.isPresent() && waiting.isWanted()
        ? progress.awaitGone(snapshot, waiting)
        : remaining;
  }

  /**
   * Deletes every snapshot that the system took for its own work; waits, if wanted, until they are
   * deleted.
   *
   * @return their names in the volume
   * @throws StorageException NOT_FOUND; TIMEOUT (it continues)
   */
  public List<String> purge(String volume, Waiting waiting) throws StorageException {
    List<String> given = new ArrayList<>();
    for (Snapshot snapshot : list(volume).items()) {
      boolean ofSystem =
          snapshot.status().creationTime().isPresent() && !snapshot.status().userCreated();
      if (ofSystem && !snapshot.hasKeptData()) {
        delete(volume, snapshot.name(), waiting);
        given.add(snapshot.nameInVolume());
      }
    }
    return given;
  }

  /**
   * Makes a snapshot the content of its volume, which must be detached, or attached without a
   * frontend: it is attached for that time. What was written since is kept in a snapshot that the
   * system makes.
   *
   * @throws StorageException NOT_FOUND; BUSY when hosts can use the volume, with what to do;
   *     INVALID when the snapshot cannot be read; IO when it failed; TIMEOUT (it continues)
   */
  public Snapshot revert(String volume, String name, Waiting waiting) throws StorageException {
    Snapshot snapshot = get(volume, name);
    Volume found = editor.require(Volume.KIND, volume);
    if (!snapshot.status().readyToUse() || snapshot.isBeingDeleted()) {
      throw new StorageException(
          ErrorCode.INVALID,
          label(snapshot) + " cannot be reverted to: " + SnapshotProgress.whyNot(snapshot));
    }
    requireUnused(found);
    Attachments attachments = new Attachments(store);
    boolean attachedHere = found.status().state() != VolumeState.ATTACHED;
    String ticket = "api-revert-" + UUID.randomUUID();
    try {
      if (attachedHere) {
        attachments.attachWithoutFrontend(
            volume, ticket, clock.instant().plus(waiting.timeout()), waiting);
      }
      return request(
          snapshot, waiting, (spec, id) -> spec.withRevertRequest(id), s -> s.status().revert());
    } finally {
      if (attachedHere) {
        attachments.releaseTicket(volume, ticket, waiting);
      }
    }
  }

  private static void requireUnused(Volume volume) throws StorageException {
    boolean unused =
        volume.status().state() == VolumeState.DETACHED
            || (volume.status().state() == VolumeState.ATTACHED && volume.spec().disableFrontend());
    if (!unused) {
      String name = volume.name();
      throw new StorageException(
          ErrorCode.BUSY,
          "volume "
              + name
              + " is "
              + volume.status().state()
              + (volume.status().currentNodeID().isEmpty()
                  ? ""
                  : " to " + volume.status().currentNodeID())
              + ", and hosts may be using it: unmount it ('holdfast umount "
              + name
              + "'), detach it ('holdfast volume detach "
              + name
              + "'), then revert again");
    }
  }

  /**
   * Compares every snapshot of a volume with its checksums, one after the other, and repairs what
   * differs.
   *
   * @return the snapshots with what was found in {@code status.scrub}
   * @throws StorageException NOT_FOUND; TIMEOUT (it continues); IO when some cannot be repaired,
   *     once all were compared
   */
  public List<Snapshot> scrub(String volume, Waiting waiting) throws StorageException {
    List<Snapshot> scrubbed = new ArrayList<>();
    List<String> damaged = new ArrayList<>();
    for (Snapshot snapshot : list(volume).items()) {
      if (snapshot.status().readyToUse() && !snapshot.isBeingDeleted()) {
        try {
          scrubbed.add(
              request(
                  snapshot,
                  waiting,
                  (spec, id) -> spec.withScrubRequest(id),
                  s -> s.status().scrub()));
        } catch (StorageException e) {
          if (e.code() != ErrorCode.IO) {
            throw e;
          }
          damaged.add(e.getMessage());
        }
      }
    }
    if (!damaged.isEmpty()) {
      throw new StorageException(ErrorCode.IO, String.join("; ", damaged));
    }
    return scrubbed;
  }

  /**
   * Breaks off the comparisons of a volume's snapshots that were asked for and are not done.
   *
   * @return the snapshots concerned
   * @throws StorageException NOT_FOUND
   */
  public List<Snapshot> cancelScrub(String volume) throws StorageException {
    List<Snapshot> cancelled = new ArrayList<>();
    for (Snapshot snapshot : list(volume).items()) {
      if (snapshot.status().scrub().isPending(snapshot.spec().scrubRequest())) {
        cancelled.add(change(snapshot, s -> s.withSpec(s.spec().withScrubRequest(""))));
      }
    }
    return cancelled;
  }

  private interface Asking {
    SnapshotSpec ask(SnapshotSpec spec, String id);
  }

  private Snapshot request(
      Snapshot snapshot, Waiting waiting, Asking asking, Function<Snapshot, RequestOutcome> outcome)
      throws StorageException {
    String id = UUID.randomUUID().toString();
    Snapshot asked = change(snapshot, s -> s.withSpec(asking.ask(s.spec(), id)));
    if (!waiting.isWanted()) {
      return asked;
    }
    Snapshot ended =
        await(asked, waiting, s -> Optional.of(s).filter(x -> !outcome.apply(x).isPending(id)));
    String error = outcome.apply(ended).error();
    if (!error.isEmpty()) {
      throw new StorageException(ErrorCode.IO, label(snapshot) + ": " + error);
    }
    return ended;
  }

  private Snapshot change(Snapshot snapshot, UnaryOperator<Snapshot> change)
      throws StorageException {
    return editor.edit(Snapshot.KIND, snapshot.name(), change::apply);
  }

  /** Waits for a snapshot to be as wanted; one that permanently failed is a failure. */
  public Snapshot await(
      Snapshot snapshot, Waiting waiting, Function<Snapshot, Optional<Snapshot>> wanted)
      throws StorageException {
    return progress.await(snapshot, waiting, wanted);
  }

  /** Returns for example {@code snapshot s1 of volume demo}. */
  public static String label(Snapshot snapshot) {
    return "snapshot " + snapshot.nameInVolume() + " of volume " + snapshot.spec().volume();
  }
}
