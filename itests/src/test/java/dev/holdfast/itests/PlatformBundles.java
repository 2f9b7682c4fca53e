package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The bundles of a node that serve no I/O: the controllers, an attacher, the store, the API, the
 * driver, the commands and the shell.
 */
final class PlatformBundles {
  private static final List<String> ARTIFACTS =
      List.of(
          "holdfast-attachment",
          "holdfast-volume",
          "holdfast-node",
          "holdfast-snapshot",
          "holdfast-clone",
          "holdfast-attacher-csi",
          "holdfast-store-embedded",
          "holdfast-store-records",
          "holdfast-api-server",
          "holdfast-csi",
          "holdfast-client",
          "holdfast-host",
          "holdfast-commands",
          "holdfast-shell");

  private final RunningNode node;
  private final Path csiSocket;

  PlatformBundles(RunningNode node, Path csiSocket) {
    this.node = node;
    this.csiSocket = csiSocket;
  }

  List<String> names() {
    return ARTIFACTS.stream().map(BundleJars::symbolicName).toList();
  }

  /** Writes an archive of all of them in another version; returns where. */
  String archive(Path folder, String version) throws IOException {
    return BundleUpgrades.archive(
            folder,
            ARTIFACTS.stream()
                .map(artifact -> OtherVersion.of(artifact, version).in(folder))
                .toArray(String[]::new))
        .toString();
  }

  /** Has Karaf put the distribution's own in place, in one session of its shell. */
  void updateToReleased(String fromVersion) {
    node.shell(
        ARTIFACTS.stream()
            .map(
                artifact ->
                    "bundle:update %s/%s file:%s"
                        .formatted(
                            BundleJars.symbolicName(artifact),
                            fromVersion,
                            BundleJars.released(artifact)))
            .collect(Collectors.joining("; ")));
  }

  /** Returns how often a volume was opened. */
  long openings(String volume) {
    return api().engineOf(volume).at("/status/membership/generation").asLong();
  }

  private Api api() {
    return new Api(node.data().resolve("kubeconfig"));
  }

  /** Fails unless each does its work, on a volume of a name of its own. */
  void serve(String name) {
    try (CsiClient csi = new CsiClient(csiSocket, CsiClient.block())) {
      String volume = csi.create(name, 1 << 20, "");
      csi.attach(volume);
      assertThat(api().get("volumes", volume).at("/status/state").asText()).isEqualTo("attached");
      assertThat(node.shell("holdfast:volume-list")).contains(volume);
      csi.detach(volume);
      csi.delete(volume);
    }
  }
}
