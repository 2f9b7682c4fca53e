package dev.holdfast.engine.spdk.internal.replica;

import dev.holdfast.engine.spdk.internal.calls.Subsystems;
import dev.holdfast.engine.spdk.internal.calls.TargetSubsystem;
import dev.holdfast.engine.spdk.internal.data.Connector;
import dev.holdfast.engine.spdk.internal.data.Loopback;
import dev.holdfast.engine.spdk.internal.data.SharedDevices;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Optional;

/** The record of a replica of this node, through a subsystem that admits this engine alone. */
final class LocalLink implements LegLink {
  private final LegPlace place;
  private final Loopback loopback;
  private final SharedDevices.User user;
  private final RecordSlots slots;
  private volatile Optional<StorageException> loss = Optional.empty();

  /**
   * Creates a link over a connection.
   *
   * @param user of the record, ended with this
   */
  LocalLink(LegPlace place, Loopback loopback, SharedDevices.User user) {
    this.place = place;
    this.loopback = loopback;
    this.user = user;
    this.slots = new RecordSlots("record of " + place.title(), user.device());
  }

  private Subsystems subsystems() {
    return loopback.subsystems();
  }

  @Override
  public Optional<LegRecord> read() throws StorageException {
    Optional<byte[]> bytes;
    try {
      bytes = slots.read();
    } catch (StorageException e) {
      noteLoss(e);
      throw e;
    }
    return bytes.isEmpty()
        ? Optional.empty()
        : Optional.of(LegFormat.read("record of " + place.title(), bytes.get()));
  }

  private void noteLoss(StorageException failure) {
    if (Connector.isLoss(failure)) {
      loss = Optional.of(failure);
    }
  }

  @Override
  public Optional<StorageException> loss() {
    return loss;
  }

  /** The subsystems of other generations are removed before the record admits this one. */
  @Override
  public LegRecord fence(LegToken token) throws StorageException {
    loopback.takeOver(place.subsystem(place.meta()));
    LegRecord record =
        read()
            .orElseThrow(
                () -> new StorageException(ErrorCode.IO, place.title() + ": has no record"));
    LegToken last = LegToken.of(record);
    if (last.isLaterThan(token)) {
      throw new StorageException(
          ErrorCode.CONFLICT,
          place.title() + ": opening " + last + " is later than " + token + ": open it again");
    }
    String identity = record.owner().identity();
    String own = LegPlace.shown(identity, token.generation());
    for (TargetSubsystem one : subsystems().all()) {
      if (LegPlace.shows(one.nqn(), identity) && !one.nqn().startsWith(own)) {
        subsystems().delete(one.nqn());
      }
    }
    LegRecord promised = token.promised(record);
    write(promised);
    return promised;
  }

  @Override
  public void write(LegRecord record) throws StorageException {
    byte[] bytes = LegFormat.write(record);
    try {
      slots.write(bytes);
    } catch (StorageException e) {
      noteLoss(e);
      throw e;
    }
  }

  @Override
  public LegShown expose(String lvol, LegHost host) throws StorageException {
    throw new StorageException(ErrorCode.INTERNAL, place.title() + ": is on this node");
  }

  @Override
  public String attachSource(LegShown source, LegHost host) throws StorageException {
    throw new StorageException(ErrorCode.INTERNAL, place.title() + ": is on this node");
  }

  /** A snapshot of the same target needs no controller. */
  @Override
  public void detachSource() {}

  @Override
  public void hide(String lvol) throws StorageException {
    String own = place.subsystem(lvol);
    for (TargetSubsystem one : subsystems().all()) {
      if (one.nqn().equals(own) || LegPlace.showsVolume(one.nqn(), lvol)) {
        subsystems().delete(one.nqn());
      }
    }
  }

  @Override
  public boolean isRemote() {
    return false;
  }

  @Override
  public void disconnect() {
    user.leave();
  }

  @Override
  public void release() throws StorageException {
    user.remove();
  }

  @Override
  public void close() throws StorageException {
    user.close();
  }
}
