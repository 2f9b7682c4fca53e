package dev.holdfast.engine.spdk.internal.replica;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.spdk.internal.calls.LvolInfo;
import dev.holdfast.engine.spdk.internal.calls.Lvols;
import dev.holdfast.engine.spdk.internal.data.SharedDevices;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A replica with a connection to its record, on this or another node. For one thread at a time; the
 * caller closes it.
 */
public final class ReplicaLeg implements AutoCloseable {
  private final LegPlace place;
  private final Lvols lvols;
  private final LegLink link;
  private volatile Optional<LegRecord> record;

  private ReplicaLeg(LegPlace place, Lvols lvols, LegLink link) throws StorageException {
    this.place = place;
    this.lvols = lvols;
    this.link = link;
    this.record = link.read();
  }

  /**
   * Ends what every earlier opening can do with the replica, admits this one, and reads the record
   * again.
   *
   * @throws StorageException CONFLICT after a later opening has fenced it
   */
  public void fence(LegToken token) throws StorageException {
    record = Optional.of(link.fence(token));
  }

  /** Reads the record again. */
  void refresh() throws StorageException {
    record = link.read();
  }

  /**
   * Asks whether the record can be read. What is known of it does not change.
   *
   * @throws StorageException UNREACHABLE or TIMEOUT when the connection ended; IO
   */
  public void probe() throws StorageException {
    Optional<LegRecord> unused = link.read();
  }

  /** Returns why the connection to the record ended, empty while it is not known to have ended. */
  public Optional<StorageException> loss() {
    return link.loss();
  }

  /** Returns whether the replica is on another node than the volume. */
  public boolean isRemote() {
    return link.isRemote();
  }

  /** As {@link LegNode#expose}. */
  public LegShown expose(String lvol, LegHost host) throws StorageException {
    return link.expose(lvol, host);
  }

  /** As {@link LegNode#attachSource}, for a replica of another node. */
  public String attachSource(LegShown source, LegHost host) throws StorageException {
    return link.attachSource(source, host);
  }

  /** As {@link LegNode#detachSource}. */
  public void detachSource() throws StorageException {
    link.detachSource();
  }

  /** Removes the subsystems that show a volume of the replica. Succeeds when there are none. */
  public void hide(String lvol) throws StorageException {
    link.hide(lvol);
  }

  /** Returns the volumes of the target that has the replica. */
  public Lvols lvols() {
    return lvols;
  }

  /** Returns the name by which the target of its node knows the live content. */
  public String head() {
    return place.alias(record().head());
  }

  /** Returns the identity of the replica in the register. */
  public String identity() {
    return record().owner().identity();
  }

  /** Returns the name of the replica. */
  public String name() {
    return record().owner().replica();
  }

  /** Opens the record of a replica, empty when the store has none. */
  static Optional<ReplicaLeg> find(LegPlace place, Lvols lvols, SharedDevices records)
      throws StorageException {
    String alias = place.alias(place.meta());
    if (lvols.find(alias).isEmpty()) {
      return Optional.empty();
    }
    SharedDevices.User user = records.connect(place.subsystem(place.meta()), alias);
    try {
      return Optional.of(
          new ReplicaLeg(place, lvols, new LocalLink(place, records.loopback(), user)));
    } catch (StorageException | RuntimeException e) {
      user.leave();
      throw e;
    }
  }

  /**
   * Opens a replica of another node.
   *
   * @throws StorageException NOT_FOUND when it is not there; UNREACHABLE; TIMEOUT
   */
  public static ReplicaLeg remote(ReplicaLocation location, LegNode node) throws StorageException {
    RemoteLink link = RemoteLink.look(location, node);
    return new ReplicaLeg(new LegPlace(location, link.store()), new Lvols(link.target()), link);
  }

  /** Returns its names in the store. */
  public LegPlace place() {
    return place;
  }

  /** Returns the record, empty when none was ever written. */
  Optional<LegRecord> found() {
    return record;
  }

  /** Returns the record of a replica that is complete. */
  public LegRecord record() {
    return record.orElseThrow(() -> new IllegalStateException(place.title() + ": has no record"));
  }

  /** Replaces the record; durable when this returns. */
  public void write(LegRecord next) throws StorageException {
    link.write(next);
    record = Optional.of(next);
  }

  /** Returns a volume of the replica, empty when the store has none of this name. */
  public Optional<LvolInfo> lvol(String name) throws StorageException {
    return lvols.find(place.alias(name));
  }

  /** Returns the bytes that its contents and snapshots have allocated. */
  public long usedBytes() throws StorageException {
    long used = 0;
    for (String name : owned()) {
      used += lvol(name).map(LvolInfo::usedBytes).orElse(0L);
    }
    return used;
  }

  /** Returns the names of all volumes of the replica in the store, without its record. */
  private List<String> owned() throws StorageException {
    List<String> names = new ArrayList<>(lvols.names(place.store()));
    names.removeIf(name -> !name.startsWith(place.prefix()) || name.equals(place.meta()));
    return names;
  }

  /**
   * Removes a volume of the replica with the subsystem that shows it, unless several others stand
   * on it, or the target still copies it.
   *
   * @return whether it is gone
   */
  public boolean remove(String name) throws StorageException {
    link.hide(name);
    Optional<LvolInfo> present = lvol(name);
    if (present.isPresent() && present.get().clones().size() > 1) {
      return false;
    }
    try {
      lvols.delete(place.alias(name));
      return true;
    } catch (StorageException e) {
      if (e.code() == ErrorCode.BUSY) {
        return false; // a copy of it that was left by a rebuild still runs
      }
      throw e;
    }
  }

  /** Removes what no record names: parts of calls that were interrupted. */
  public void removeLeftovers() throws StorageException {
    List<String> left = owned();
    left.removeIf(name -> record().names(name));
    removeAll(left);
  }

  /** Removes all contents and snapshots; one that clones share stays until they are gone. */
  void removeContents() throws StorageException {
    removeAll(owned());
  }

  /** Volumes that stand on others are removed first; each round frees the next ones. */
  private void removeAll(List<String> names) throws StorageException {
    List<String> left = new ArrayList<>(names);
    boolean progress = true;
    while (progress && !left.isEmpty()) {
      progress = false;
      for (String name : List.copyOf(left)) {
        if (remove(name)) {
          left.remove(name);
          progress = true;
        }
      }
    }
  }

  /** Removes the record, and with it the replica. */
  void removeRecord() throws StorageException {
    link.disconnect();
    boolean gone = remove(place.meta());
    if (!gone) {
      throw new StorageException(ErrorCode.BUSY, place.title() + ": its record is in use");
    }
  }

  /** Ends the connection; what its node shows stays for the next engine. */
  public void disconnect() {
    link.disconnect();
  }

  /** Ends the connection and removes what its node shows for this opening. */
  public void release() throws StorageException {
    link.release();
  }

  /** Ends a look at the record. What was shown before the look stays. */
  @Override
  public void close() throws StorageException {
    link.close();
  }
}
