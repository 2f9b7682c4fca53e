package dev.holdfast.datapath.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ClusterExportDirectoryTest {
  private static final String NODE = "node-1";
  private static final Duration LONG_ENOUGH = Duration.ofMinutes(5);

  private final ClusterExportDirectory endpoints = new ClusterExportDirectory();
  private final Simulation simulation =
      Simulation.builder(1).reconciler(NODE, () -> endpoints).build();

  @Test
  void volumesAreAtTheirLastReportedNodes() throws Exception {
    Volume volume =
        simulation
            .store()
            .create(
                Volume.of(
                    "films",
                    VolumeSpec.EMPTY.withSize(Quantity.parse("1Gi")).withFrontend("iscsi")));
    assertThat(endpoints.endpoint("iscsi", "films")).isEmpty();

    String at = "iscsi://10.0.0.2:3260/iqn.2026-01.dev.holdfast:films/0";
    volume = simulation.store().updateStatus(volume.withStatus(volume.status().withEndpoint(at)));
    simulation.runUntil(
        "it is known", LONG_ENOUGH, store -> endpoints.endpoint("iscsi", "films").isPresent());
    assertThat(endpoints.endpoint("iscsi", "films")).contains(URI.create(at));
    assertThat(endpoints.endpoint("nvmeof", "films")).isEmpty();
    assertThat(endpoints.endpoint("iscsi", "other")).isEmpty();
    assertThat(endpoints.endpoints("iscsi")).isEqualTo(Map.of("films", URI.create(at)));
    assertThat(endpoints.endpoints("nvmeof")).isEmpty();

    simulation.store().updateStatus(volume.withStatus(volume.status().withEndpoint("")));
    simulation.runUntil(
        "it is shown nowhere",
        LONG_ENOUGH,
        store -> endpoints.endpoint("iscsi", "films").isEmpty());
  }
}
