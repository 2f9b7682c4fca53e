package dev.holdfast.volume.internal;

import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.OwnerReference;
import dev.holdfast.resource.volume.MembershipRecord;
import dev.holdfast.resource.volume.Volume;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.CRC32;

/** Names and labels of a volume's parts. */
final class VolumeNaming {
  private VolumeNaming() {}

  /**
   * Returns the name of a volume's first engine. It depends on the volume alone, so that two
   * controllers create one engine, and releases without {@code status.activeEngine} find it by
   * name.
   */
  static String firstEngine(Volume volume) {
    return volume.name() + "-e-0";
  }

  /**
   * Returns the names of a volume's first replicas and its witness. They depend on the volume
   * alone, so that repeated or concurrent creations do not create more of them.
   */
  static List<String> replicas(Volume volume) {
    int count = volume.spec().numberOfReplicas() + (volume.spec().witness() ? 1 : 0);
    Set<String> names = new LinkedHashSet<>();
    for (int i = 0; names.size() < count; i++) {
      names.add(replica(volume, String.valueOf(i)));
    }
    return List.copyOf(names);
  }

  /**
   * Returns the name of an added replica. It depends on the present replicas and the epoch, so that
   * two controllers do not both add one, and names are never reused.
   */
  static String anotherReplica(VolumeView view) {
    Set<String> present = new TreeSet<>();
    view.replicas().forEach(replica -> present.add(replica.name()));
    MembershipRecord record =
        view.engine().map(e -> e.status().membership()).orElse(MembershipRecord.EMPTY);
    String epoch =
        record.generation() + "." + record.epochGeneration() + "." + record.epochNumber();
    long attempt = view.engine().map(e -> e.spec().rebuildAttempt()).orElse(0L);
    for (int i = 0; ; i++) {
      String name = replica(view.volume(), present + "/" + epoch + "/" + attempt + "/" + i);
      if (!present.contains(name)) {
        return name;
      }
    }
  }

  private static String replica(Volume volume, String what) {
    CRC32 digest = new CRC32();
    String identity = volume.name() + "/" + volume.metadata().creationTimestamp() + "/" + what;
    digest.update(identity.getBytes(StandardCharsets.UTF_8));
    return volume.name() + "-r-" + String.format("%08x", digest.getValue());
  }

  /** Returns metadata of a part that is deleted with its volume. */
  static ObjectMeta part(String name, Volume volume) {
    return ObjectMeta.named(name)
        .withLabels(Map.of(Volume.LABEL, volume.name()))
        .withOwnerReferences(List.of(OwnerReference.controller(volume)));
  }
}
