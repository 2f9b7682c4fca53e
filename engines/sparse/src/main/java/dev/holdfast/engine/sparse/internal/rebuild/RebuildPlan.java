package dev.holdfast.engine.sparse.internal.rebuild;

import dev.holdfast.engine.sparse.internal.replica.Regions;
import dev.holdfast.engine.sparse.rpc.LayerEntry;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Parts of layers that the target of a rebuild may lack. The recorded regions refer to the target's
 * head when it left. They apply to the layer that the members' heads became since, if it stands on
 * the same layer as that head did. Any other layer is compared as a whole.
 */
final class RebuildPlan {
  private final List<LayerEntry> wanted;
  private final Map<String, LayerEntry> found;
  private final List<String> longer;
  private final String former;
  private final BitSet changed;

  private RebuildPlan(
      List<LayerEntry> wanted,
      Map<String, LayerEntry> found,
      List<String> longer,
      String former,
      BitSet changed) {
    this.wanted = wanted;
    this.found = found;
    this.longer = longer;
    this.former = former;
    this.changed = changed;
  }

  /**
   * Compares the layers of the members and the target.
   *
   * @param wanted the members' layers, parents before children
   * @param found the target's layers
   * @param former the layer that the target's head became
   * @param formerParent parent of that head
   * @param changed regions in which that head may differ from the members'
   */
  static RebuildPlan of(
      List<LayerEntry> wanted,
      List<LayerEntry> found,
      String former,
      String formerParent,
      BitSet changed) {
    Map<String, LayerEntry> usable = byImage(found);
    List<String> longer = longer(wanted, usable);
    longer.forEach(usable::remove);
    boolean same =
        usable.containsKey(former)
            && wanted.stream()
                .anyMatch(
                    layer ->
                        layer.getImage().equals(former)
                            && layer.getMeta().getParent().equals(formerParent));
    return new RebuildPlan(wanted, usable, longer, same ? former : "", changed);
  }

  private static List<String> longer(List<LayerEntry> wanted, Map<String, LayerEntry> found) {
    return wanted.stream()
        .filter(
            layer ->
                found.containsKey(layer.getImage())
                    && found.get(layer.getImage()).getSize() > layer.getSize())
        .map(LayerEntry::getImage)
        .toList();
  }

  /**
   * Returns which of the members' layers the head over a layer has become since, empty when it is
   * still the head.
   */
  static Optional<String> heirOf(String parent, List<LayerEntry> members, List<LayerEntry> target) {
    Map<String, LayerEntry> known = byImage(target);
    List<String> heirs = new ArrayList<>();
    for (LayerEntry layer : members) {
      if (layer.getMeta().getParent().equals(parent) && !known.containsKey(layer.getImage())) {
        heirs.add(layer.getImage());
      }
    }
    return heirs.size() == 1 ? Optional.of(heirs.get(0)) : Optional.empty();
  }

  static Map<String, LayerEntry> byImage(List<LayerEntry> layers) {
    Map<String, LayerEntry> all = new TreeMap<>();
    layers.forEach(layer -> all.put(layer.getImage(), layer));
    return all;
  }

  /** Returns whether two replicas have layers of the same names, sizes and metadata. */
  static boolean alike(List<LayerEntry> one, List<LayerEntry> other) {
    Map<String, LayerEntry> found = byImage(other);
    return one.size() == other.size()
        && one.stream()
            .allMatch(
                layer -> {
                  LayerEntry like = found.get(layer.getImage());
                  return like != null
                      && like.getSize() == layer.getSize()
                      && like.getMeta().equals(layer.getMeta());
                });
  }

  List<LayerEntry> layers() {
    return wanted;
  }

  /**
   * Returns the target's layers that are longer than the members'. The head of a replica that was
   * made after the volume grew becomes such a layer. They are discarded and copied again, because
   * receiving a layer never shortens it.
   */
  List<String> longer() {
    return longer;
  }

  /** Returns the layers of which the target has no data. */
  List<LayerEntry> empty() {
    return wanted.stream().filter(layer -> !found.containsKey(layer.getImage())).toList();
  }

  /** Returns the target's layers that the members do not have. */
  List<String> stale() {
    Map<String, LayerEntry> kept = byImage(wanted);
    return found.keySet().stream().filter(image -> !kept.containsKey(image)).toList();
  }

  /** Returns whether both have stored the same checksum of a layer. */
  boolean same(LayerEntry layer) {
    LayerEntry mine = found.get(layer.getImage());
    return mine != null
        && comparable(layer)
        && !mine.getChecksum().isEmpty()
        && mine.getSize() == layer.getSize()
        && mine.getChecksum().equals(layer.getChecksum());
  }

  /**
   * Returns whether checksums show that the target's layer equals the members'. The checksum of a
   * layer without a parent treats a block of zeroes as a hole. If only the target's layer has no
   * parent, its zeroes would be kept and would hide the members' data below.
   */
  boolean comparable(LayerEntry layer) {
    LayerEntry mine = found.get(layer.getImage());
    return mine == null
        || !mine.getMeta().getParent().isEmpty()
        || layer.getMeta().getParent().isEmpty();
  }

  /** Returns whether the recorded regions apply to this layer. */
  boolean noted(LayerEntry layer) {
    return layer.getImage().equals(former);
  }

  BitSet regions(LayerEntry layer) {
    if (noted(layer)) {
      return changed;
    }
    BitSet all = new BitSet();
    all.set(0, Regions.count(layer.getSize()));
    return all;
  }
}
