package dev.holdfast.volume.internal;

import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.OwnerReference;
import dev.holdfast.resource.Volume;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.CRC32;

/** Names and labels of a volume's parts. */
final class Names {
  static final String VOLUME_LABEL = "holdfast.dev/volume";
  static final String VOLUME_FINALIZER = "holdfast.dev/volume";

  /** Held by the node that has the engine open. */
  static final String ENGINE_FINALIZER = "holdfast.dev/engine";

  /** Set by us at creation, so that no node can make data that nobody removes. */
  static final String REPLICA_FINALIZER = "holdfast.dev/replica-data";

  private Names() {}

  static String engine(Volume volume) {
    return volume.name() + "-e-0";
  }

  /**
   * Names of a volume's first replicas. They follow from the volume alone, so that making them
   * again after a crash, or by two controllers at a time, makes no more of them.
   */
  static List<String> replicas(Volume volume) {
    Set<String> names = new LinkedHashSet<>();
    for (int i = 0; names.size() < volume.spec().numberOfReplicas(); i++) {
      CRC32 digest = new CRC32();
      String identity = volume.name() + "/" + volume.metadata().creationTimestamp() + "/" + i;
      digest.update(identity.getBytes(StandardCharsets.UTF_8));
      names.add(volume.name() + "-r-" + String.format("%08x", digest.getValue()));
    }
    return List.copyOf(names);
  }

  /** Metadata of a part that goes with its volume. */
  static ObjectMeta part(String name, Volume volume) {
    return ObjectMeta.named(name)
        .withLabels(Map.of(VOLUME_LABEL, volume.name()))
        .withOwnerReferences(List.of(OwnerReference.controller(volume)));
  }
}
