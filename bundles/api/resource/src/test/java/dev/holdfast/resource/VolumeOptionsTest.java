package dev.holdfast.resource;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.node.DeclaredOption;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.node.NodeStatus;
import dev.holdfast.resource.volume.VolumeOptions;
import dev.holdfast.resource.volume.VolumeSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class VolumeOptionsTest {
  private static final DeclaredOption MODE =
      new DeclaredOption("mode", List.of("linear", "thin"), "thin", false);
  private static final DeclaredOption WIPE =
      new DeclaredOption("wipe", List.of("full", "unsafe-fast"), "full", true);
  private static final DeclaredOption NOTE = new DeclaredOption("note", List.of(), "", true);

  private static Node node(String name, DeclaredOption... options) {
    return Node.of(name, NodeSpec.EMPTY)
        .withStatus(
            NodeStatus.EMPTY
                .withEngines(List.of("lvm", "sparse"))
                .withEngineOptions(Map.of("lvm", List.of(options))));
  }

  private static VolumeSpec spec(String engine, Map<String, String> options) {
    return VolumeSpec.EMPTY.withDataEngine(engine).withEngineOptions(options);
  }

  private static List<String> errors(VolumeSpec spec, VolumeSpec before, Node... nodes) {
    return VolumeOptions.rejected(spec, Optional.ofNullable(before), List.of(nodes)).stream()
        .map(FieldError::toString)
        .toList();
  }

  @Test
  void declaredValuesAreAccepted() {
    assertThat(
            errors(
                spec("lvm", Map.of("mode", "linear", "note", "anything")),
                null,
                node("a", MODE, NOTE)))
        .isEmpty();
  }

  @Test
  void unknownNamesAreRejectedWithTheDeclaredOnes() {
    assertThat(errors(spec("lvm", Map.of("speed", "high")), null, node("a", MODE, WIPE)))
        .singleElement()
        .asString()
        .contains("spec.engineOptions[speed]", "its options are mode, wipe");
    assertThat(errors(spec("sparse", Map.of("mode", "thin")), null, node("a", MODE)))
        .singleElement()
        .asString()
        .contains("engine sparse has no options");
  }

  @Test
  void otherValuesAreRejectedWithTheAllowedOnes() {
    assertThat(errors(spec("lvm", Map.of("mode", "thick")), null, node("a", MODE)))
        .singleElement()
        .asString()
        .contains("spec.engineOptions[mode]", "thick", "must be one of linear, thin");
  }

  @Test
  void aValueThatTheEngineOfOneNodePermitsIsAccepted() {
    DeclaredOption newer = MODE.withAllowed(List.of("cached", "linear", "thin"));
    assertThat(
            errors(spec("lvm", Map.of("mode", "cached")), null, node("a", MODE), node("b", newer)))
        .isEmpty();
  }

  @Test
  void onlyMutableOptionsMayChange() {
    VolumeSpec before = spec("lvm", Map.of("wipe", "full"));
    Node node = node("a", MODE, WIPE);
    assertThat(errors(spec("lvm", Map.of("wipe", "unsafe-fast")), before, node)).isEmpty();
    assertThat(errors(spec("lvm", Map.of("mode", "thin")), before, node)).isEmpty();
    assertThat(errors(spec("lvm", Map.of("mode", "linear")), before, node))
        .singleElement()
        .asString()
        .contains("spec.engineOptions[mode]");
  }

  @Test
  void storedOptionsStayWhileTheirEngineIsMissing() {
    VolumeSpec stored = spec("lvm", Map.of("mode", "linear"));
    Node without =
        Node.of("a", NodeSpec.EMPTY).withStatus(NodeStatus.EMPTY.withEngines(List.of("sparse")));
    assertThat(errors(stored, stored, without)).isEmpty();
  }
}
