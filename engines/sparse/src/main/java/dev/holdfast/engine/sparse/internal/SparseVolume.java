package dev.holdfast.engine.sparse.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaMode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** A volume of this engine that is open. */
final class SparseVolume implements OpenVolume {
  private final String name;
  private final List<Member> opened;
  private final Members members;
  private final Keeper keeper;
  private final ReplicaModes modes;
  private final SparseDevice device;
  private final MarkSweeper sweeper;
  private final Consumer<SparseVolume> whenClosed;
  private boolean released;

  SparseVolume(
      String name,
      List<Member> opened,
      Members members,
      Keeper keeper,
      ReplicaModes modes,
      SparseDevice device,
      MarkSweeper sweeper,
      Consumer<SparseVolume> whenClosed) {
    this.name = name;
    this.opened = List.copyOf(opened);
    this.members = members;
    this.keeper = keeper;
    this.modes = modes;
    this.device = device;
    this.sweeper = sweeper;
    this.whenClosed = whenClosed;
  }

  @Override
  public BlockDevice device() {
    return device;
  }

  @Override
  public Map<String, ReplicaMode> replicas() {
    return modes.all();
  }

  /** Takes back marks that are no longer needed. */
  synchronized void sweep() {
    if (!released) {
      sweeper.sweep();
    }
  }

  /** Another engine was let in: nothing of this one may take effect when this returns. */
  synchronized void supersede(String by) {
    if (!released) {
      keeper.fail(
          new StorageException(ErrorCode.FORBIDDEN, "volume " + name + " was taken over by " + by));
      device.close();
      release();
    }
  }

  @Override
  public synchronized void close() throws StorageException {
    if (released) {
      return;
    }
    device.close();
    try {
      if (!keeper.faulted()) {
        seal();
      }
    } finally {
      release();
    }
  }

  private void seal() throws StorageException {
    // All before any: a replica that forgot its marks while another is not yet durable would leave
    // a difference that nobody knows of.
    for (Member replica : members.current()) {
      try {
        Awaited.sync(replica);
      } catch (StorageException e) {
        keeper.drop(replica, e);
      }
    }
    if (!keeper.settledAtClose()) {
      throw new StorageException(
          ErrorCode.IO,
          "volume "
              + name
              + " was closed while a failed replica could not be dropped, for lack of the register;"
              + " the next opening repairs it");
    }
    for (Member replica : members.current()) {
      try {
        replica.seal();
      } catch (StorageException e) {
        throw new StorageException(
            e.code(),
            "volume " + name + " was closed, but not in order; the next opening repairs it",
            e);
      }
    }
  }

  private void release() {
    released = true;
    opened.forEach(Member::close);
    whenClosed.accept(this);
  }
}
