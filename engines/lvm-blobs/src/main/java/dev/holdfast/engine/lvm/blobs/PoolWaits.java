package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.engine.lvm.blobs.internal.lvm.BlobNames;
import dev.holdfast.engine.lvm.blobs.internal.waits.PoolShortages;
import dev.holdfast.engine.lvm.blobs.locks.LockHolder;
import dev.holdfast.engine.lvm.blobs.waits.PoolWait;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Finds what the devices of this node wait for in pools of a shared group. It only reads, so it
 * needs no lock. Used by one thread.
 */
final class PoolWaits {
  private final SharedGroup group;
  private final PoolPeers peers;
  private final String node;
  private final PoolShortages shortages;
  private final Function<String, NodeDevices> devices;
  private final Holders holders;

  /** Tells which host has the lock of a pool. */
  interface Holders {
    Optional<LockHolder> of(PoolRecord pool) throws StorageException;
  }

  /**
   * Looks at one group.
   *
   * @param devices what this process knows of the devices of a pool, by its identifier
   * @param holders who has the locks
   */
  PoolWaits(
      SharedGroup group,
      PoolPeers peers,
      String node,
      PoolShortages shortages,
      Function<String, NodeDevices> devices,
      Holders holders) {
    this.group = group;
    this.peers = peers;
    this.node = node;
    this.shortages = shortages;
    this.devices = devices;
    this.holders = holders;
  }

  /** Cause and message for one pool. */
  private record Finding(PoolWait.Cause cause, String message) {}

  /** Returns the waits, except for full pools that are active on this node. */
  List<PoolWait> find() throws StorageException {
    List<PoolWait> waits = new ArrayList<>();
    for (PoolRecords.Version version : group.records().all()) {
      PoolRecord pool = version.pool();
      Set<String> used = pool.isThin() ? pool.attachedOn(node) : Set.of();
      if (!used.isEmpty()) {
        finding(pool, used).ifPresent(found -> waits.add(wait(pool, used, found)));
      }
    }
    return waits;
  }

  private PoolWait wait(PoolRecord pool, Set<String> used, Finding found) {
    return new PoolWait(
        group.name(), BlobNames.pool(pool.id()), used, found.cause(), found.message());
  }

  private String name(PoolRecord pool) {
    return "pool " + group.name() + "/" + BlobNames.pool(pool.id());
  }

  private Optional<Finding> finding(PoolRecord pool, Set<String> used) throws StorageException {
    return switch (pool.place().phase()) {
      case IDLE -> Optional.empty();
      case SERVING -> serving(pool, used);
      case HOLDING -> Optional.of(new Finding(PoolWait.Cause.MOVING, holding(pool)));
      case MOVING -> Optional.of(new Finding(PoolWait.Cause.MOVING, moving(pool)));
    };
  }

  private Optional<Finding> serving(PoolRecord pool, Set<String> used) throws StorageException {
    String active = pool.place().activeOn();
    if (active.equals(node)) {
      return arriving(pool, used);
    }
    if (peers.isReachable(active)) {
      String volume = BlobNames.pool(pool.id());
      return shortages
          .cause(group.info().uuid(), volume, active)
          .map(cause -> new Finding(cause, SpaceKeeper.message(cause, group.name(), volume)));
    }
    return group.host().lost(used).isEmpty() ? Optional.empty() : Optional.of(silent(pool, active));
  }

  /**
   * After the activation, devices that this process had connected before are pointed at the pool.
   */
  private Optional<Finding> arriving(PoolRecord pool, Set<String> used) {
    NodeDevices known = devices.apply(pool.id());
    long generation = pool.place().generation();
    boolean connected = used.stream().allMatch(name -> known.isConnected(name, generation));
    return known.generation() == 0 || connected
        ? Optional.empty()
        : Optional.of(
            new Finding(
                PoolWait.Cause.MOVING,
                name(pool)
                    + " is active on this node, and the requests that waited are sent to it"));
  }

  private Finding silent(PoolRecord pool, String active) throws StorageException {
    Optional<LockHolder> holder = holders.of(pool);
    String start = "node " + active + " has " + name(pool) + " and does not answer: ";
    return holder.isPresent()
        ? new Finding(
            PoolWait.Cause.LOCKED,
            start
                + "it is locked by "
                + holder.get()
                + ": start that node again, or drain it, or power it off")
        : new Finding(
            PoolWait.Cause.MOVING, start + "its lock is free, and another node takes the pool");
  }

  private String holding(PoolRecord pool) {
    PoolPlace place = pool.place();
    return name(pool)
        + " moves from node "
        + place.activeOn()
        + " to node "
        + place.wantedOn()
        + (place.connected().isEmpty()
            ? ""
            : ", and waits for " + nodes(place.connected().keySet()) + " to release it");
  }

  private String moving(PoolRecord pool) throws StorageException {
    String wanted = pool.place().wantedOn();
    boolean silent = !wanted.equals(node) && !peers.isReachable(wanted);
    return name(pool)
        + " moves to node "
        + wanted
        + (silent ? ", which does not answer" : ", which activates it")
        + holders.of(pool).map(holder -> "; it is locked by " + holder).orElse("");
  }

  private String nodes(Set<String> names) {
    return new TreeSet<>(names)
        .stream()
            .map(
                name ->
                    name.equals(node) || peers.isReachable(name)
                        ? "node " + name
                        : "node " + name + ", which does not answer,")
            .collect(Collectors.joining(" and "));
  }
}
