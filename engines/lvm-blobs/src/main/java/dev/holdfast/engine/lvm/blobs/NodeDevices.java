package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.engine.lvm.blobs.RecordedBlob.Phase;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Knowledge of one process about the devices that its node has of a pool.
 *
 * <p>A device is connected to an export at most once. The exporter may still work on requests of a
 * lost connection, which have been sent again over the next one; executed late they would overwrite
 * newer data. So a process connects a device only in a generation that it has claimed itself, and
 * only once. Otherwise it asks for the next generation, before which the exporter ends all requests
 * of the present one.
 *
 * @param generation in which the process has connected the devices below; {@link #RELEASED} when it
 *     pointed all devices nowhere; 0 when it does not know, because an earlier process did it
 * @param sizes devices that are connected in that generation, with their sizes in bytes
 * @param claimed generation in which the process may connect devices, because it has recorded so
 *     itself; 0 for none
 * @param tried blobs whose devices were connected to exports of the claimed generation, or may be
 */
record NodeDevices(long generation, Map<String, Long> sizes, long claimed, Set<String> tried) {
  /** Generation of devices that this process has released. */
  static final long RELEASED = -1;

  /** Knowledge of a process that has just started. */
  static final NodeDevices UNKNOWN = new NodeDevices(0, Map.of(), 0, Set.of());

  NodeDevices {
    sizes = Map.copyOf(sizes);
    tried = Set.copyOf(tried);
  }

  /** Returns whether the device of a blob is connected in a generation, of whatever size. */
  boolean isConnected(String blob, long in) {
    return generation == in && sizes.containsKey(blob);
  }

  /** Returns whether the device of a blob is connected in a generation, and has its size. */
  boolean serves(RecordedBlob blob, long in) {
    return isConnected(blob.name(), in)
        && (blob.phase() == Phase.EXTENDING || blob.sizeBytes() == sizes.get(blob.name()));
  }

  /** Returns whether the process may connect the device of a blob in a generation. */
  boolean mayConnect(String blob, long in) {
    return claimed == in && !tried.contains(blob);
  }

  /** Returns the knowledge after this process has recorded that it connects in a generation. */
  NodeDevices claiming(long next) {
    return new NodeDevices(generation, sizes, next, next == claimed ? tried : Set.of());
  }

  /** Returns the knowledge while a device is being connected to an export. */
  NodeDevices trying(String blob) {
    Set<String> next = new HashSet<>(tried);
    next.add(blob);
    long known = generation == RELEASED ? 0 : generation;
    return new NodeDevices(known, without(sizes, Set.of(blob)), claimed, next);
  }

  /** Returns the knowledge after a device was connected in the claimed generation. */
  NodeDevices connected(String blob, long sizeBytes) {
    Map<String, Long> next = new HashMap<>(generation == claimed ? sizes : Map.of());
    next.put(blob, sizeBytes);
    return new NodeDevices(claimed, next, claimed, tried);
  }

  /** Returns the knowledge after the state of some devices became unknown. */
  NodeDevices doubting(Collection<String> blobs) {
    return new NodeDevices(generation, without(sizes, blobs), claimed, tried);
  }

  /** Returns the knowledge after the device of a blob was removed, or was not connected. */
  NodeDevices without(String blob) {
    Set<String> next = new HashSet<>(tried);
    next.remove(blob);
    return new NodeDevices(generation, without(sizes, Set.of(blob)), claimed, next);
  }

  /** Returns the knowledge after all devices were pointed nowhere. */
  NodeDevices released() {
    return new NodeDevices(RELEASED, Map.of(), claimed, Set.of());
  }

  private static Map<String, Long> without(Map<String, Long> sizes, Collection<String> blobs) {
    Map<String, Long> next = new HashMap<>(sizes);
    blobs.forEach(next::remove);
    return next;
  }
}
