package dev.holdfast.engine.lvm.internal;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.osgi.framework.BundleContext;

/**
 * Properties of the node that the engine uses.
 *
 * @param node name of the node
 * @param state folder of the engine
 * @param sockets folder of sockets that no other bundle uses; its path is short, as {@link
 *     dev.holdfast.engine.lvm.internal.links.TlsTunnels} requires
 * @param tls whether bytes between nodes are encrypted
 */
record LvmSettings(String node, Path state, Path sockets, boolean tls) {
  private static final Set<String> WITHOUT_TLS = Set.of("off", "false");

  /**
   * Reads the settings of a node.
   *
   * @throws IllegalStateException when the framework property holdfast.data is not set
   */
  static LvmSettings of(BundleContext bundle) {
    Path data =
        property(bundle, "holdfast.data")
            .map(Path::of)
            .orElseThrow(
                () -> new IllegalStateException("the framework property holdfast.data is not set"));
    String tls = property(bundle, "holdfast.replica.tls").orElse("").strip();
    return new LvmSettings(
        property(bundle, "holdfast.node.name").orElse("node-1"),
        data.resolve("lvm"),
        data.resolve("run").resolve("lvm-" + bundle.getBundle().getBundleId()),
        !WITHOUT_TLS.contains(tls.toLowerCase(Locale.ROOT)));
  }

  private static Optional<String> property(BundleContext bundle, String name) {
    return Optional.ofNullable(bundle.getProperty(name));
  }
}
