package dev.holdfast.resource;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ObjectMetaTest {
  private final ObjectMeta metadata = ObjectMeta.named("a");

  @Test
  void aFinalizerIsAddedOnce() {
    ObjectMeta once = metadata.plusFinalizer("holdfast.dev/a");

    assertThat(once.plusFinalizer("holdfast.dev/a")).isEqualTo(once);
    assertThat(once.hasFinalizer("holdfast.dev/a")).isTrue();
    assertThat(once.hasFinalizer("holdfast.dev/b")).isFalse();
  }

  @Test
  void removingAFinalizerLeavesTheOthersInOrder() {
    ObjectMeta three = metadata.plusFinalizer("a").plusFinalizer("b").plusFinalizer("c");

    assertThat(three.minusFinalizer("b").finalizers()).containsExactly("a", "c");
    assertThat(three.minusFinalizer("x")).isEqualTo(three);
  }

  @Test
  void collectionsAreCopied() {
    Map<String, String> labels = new LinkedHashMap<>(Map.of("app", "x"));
    List<String> finalizers = new ArrayList<>(List.of("a"));
    ObjectMeta copied = metadata.withLabels(labels).withFinalizers(finalizers);

    labels.put("tier", "web");
    finalizers.add("b");

    assertThat(copied.labels()).containsOnlyKeys("app");
    assertThat(copied.finalizers()).containsExactly("a");
  }

  @Test
  void anOwnerReferenceNamesItsOwner() {
    Volume volume =
        Volume.of("data", VolumeSpec.EMPTY).withMetadata(ObjectMeta.named("data").withUid("u"));

    assertThat(OwnerReference.controller(volume))
        .isEqualTo(new OwnerReference("holdfast.dev/v1", "Volume", "data", "u", true));
  }
}
