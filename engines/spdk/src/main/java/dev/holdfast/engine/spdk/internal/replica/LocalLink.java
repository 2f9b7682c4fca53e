package dev.holdfast.engine.spdk.internal.replica;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.engine.spdk.internal.calls.Subsystems;
import dev.holdfast.engine.spdk.internal.calls.TargetSubsystem;
import dev.holdfast.engine.spdk.internal.data.Loopback;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Optional;

/** The record of a replica of this node, through a subsystem that admits this engine alone. */
final class LocalLink implements LegLink {
  private final LegPlace place;
  private final Loopback loopback;
  private final BlockDevice device;
  private final RecordSlots slots;
  private final boolean shown;

  /**
   * Creates a link over a connection.
   *
   * @param device the connection, closed with this
   * @param shown whether the subsystem was there before
   */
  LocalLink(LegPlace place, Loopback loopback, BlockDevice device, boolean shown) {
    this.place = place;
    this.loopback = loopback;
    this.device = device;
    this.shown = shown;
    this.slots = new RecordSlots("record of " + place.title(), device);
  }

  private Subsystems subsystems() {
    return loopback.subsystems();
  }

  @Override
  public Optional<LegRecord> read() throws StorageException {
    Optional<byte[]> bytes = slots.read();
    return bytes.isEmpty()
        ? Optional.empty()
        : Optional.of(LegFormat.read("record of " + place.title(), bytes.get()));
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
    slots.write(LegFormat.write(record));
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
    device.close();
  }

  @Override
  public void release() throws StorageException {
    device.close();
    subsystems().delete(place.subsystem(place.meta()));
  }

  @Override
  public void close() throws StorageException {
    if (shown) {
      disconnect();
    } else {
      release();
    }
  }
}
