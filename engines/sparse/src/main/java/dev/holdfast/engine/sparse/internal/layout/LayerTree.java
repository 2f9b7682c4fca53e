package dev.holdfast.engine.sparse.internal.layout;

import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** The layers in a directory's metadata, by file name, with the parent of each. Immutable. */
public final class LayerTree {
  private final SortedMap<String, LayerMeta> layers;
  private final SortedMap<String, SortedSet<String>> children = new TreeMap<>();

  LayerTree(SortedMap<String, LayerMeta> layers) {
    this.layers = Collections.unmodifiableSortedMap(new TreeMap<>(layers));
    layers.forEach(
        (name, meta) -> {
          if (!parent(name).isEmpty()) {
            children.computeIfAbsent(parent(name), key -> new TreeSet<>()).add(name);
          }
        });
  }

  /** Reads the metadata of all layers whose files exist. */
  public static LayerTree read(ReplicaDirectory directory) throws IOException, StorageException {
    SortedSet<String> files = directory.files();
    SortedMap<String, LayerMeta> layers = new TreeMap<>();
    for (String image : files) {
      if (LonghornLayout.isLayer(image) && files.contains(LonghornLayout.metaOf(image))) {
        layers.put(image, LonghornLayout.layerMeta(directory, image));
      }
    }
    return new LayerTree(layers);
  }

  public boolean has(String image) {
    return layers.containsKey(image);
  }

  public LayerMeta meta(String image) {
    return layers.get(image);
  }

  public Collection<String> images() {
    return layers.keySet();
  }

  /** Returns the layer below, empty for an oldest one. */
  public String parent(String image) {
    String parent = layers.get(image).parent();
    return parent == null ? "" : parent;
  }

  /** Returns the layers directly above a layer. */
  public SortedSet<String> children(String image) {
    return children.getOrDefault(image, Collections.emptySortedSet());
  }

  /** Returns the only layer directly above a layer, empty when it has none or several. */
  public String onlyChild(String image) {
    return children(image).size() == 1 ? children(image).first() : "";
  }

  /**
   * Returns the layers from the oldest up to the given one.
   *
   * @throws IllegalStateException when a layer is missing, or the parents form a cycle; the message
   *     names the layer
   */
  public List<String> chain(String image) {
    Deque<String> chain = new ArrayDeque<>();
    for (String name = image; !name.isEmpty(); name = parent(name)) {
      if (!has(name)) {
        throw new IllegalStateException("the layer " + name + " or its metadata is missing");
      }
      if (chain.contains(name)) {
        throw new IllegalStateException("the chain of layers does not end at " + name);
      }
      chain.addFirst(name);
    }
    return new ArrayList<>(chain);
  }

  /** Returns all layers, parents before children. */
  public List<String> parentsFirst() {
    List<String> all = new ArrayList<>();
    Deque<String> next = new ArrayDeque<>();
    images().stream().filter(image -> !has(parent(image))).forEach(next::add);
    while (!next.isEmpty()) {
      String image = next.remove();
      all.add(image);
      next.addAll(children(image));
    }
    return all;
  }

  public LayerTree with(String image, LayerMeta meta) {
    SortedMap<String, LayerMeta> changed = new TreeMap<>(layers);
    changed.put(image, meta);
    return new LayerTree(changed);
  }

  public LayerTree without(String image) {
    SortedMap<String, LayerMeta> changed = new TreeMap<>(layers);
    changed.remove(image);
    return new LayerTree(changed);
  }
}
