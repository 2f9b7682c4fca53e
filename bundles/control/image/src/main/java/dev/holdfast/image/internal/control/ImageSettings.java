package dev.holdfast.image.internal.control;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.image.internal.transfer.ImageLimit;
import dev.holdfast.image.internal.transfer.NetworkPolicy;
import dev.holdfast.resource.cluster.PlatformSettings;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingDefinition;
import dev.holdfast.resource.node.Node;
import dev.holdfast.store.LabelSelector;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** The settings of images; one that is not set, or that makes no sense, has its default. */
final class ImageSettings {
  private final ReconcileContext context;

  ImageSettings(ReconcileContext context) {
    this.context = context;
  }

  private Optional<Setting> find(SettingDefinition definition) {
    return context.get(Setting.KIND, definition.name());
  }

  /** How long a copy is kept that no replica needs. */
  Duration cleanupWait() {
    return Duration.ofMinutes(
        PlatformSettings.IMAGE_CLEANUP_WAIT.number(find(PlatformSettings.IMAGE_CLEANUP_WAIT)));
  }

  /**
   * How long all copies of a download are failed before it is downloaded again, and a disk is away
   * before its copy is made elsewhere.
   */
  Duration recoveryWait() {
    return Duration.ofSeconds(
        PlatformSettings.IMAGE_RECOVERY_WAIT.number(find(PlatformSettings.IMAGE_RECOVERY_WAIT)));
  }

  /** The largest size of an image's file and of its disk. */
  long largest() {
    return ImageLimit.of(find(PlatformSettings.IMAGE_SIZE));
  }

  /**
   * The HTTP proxy of downloads; empty when none is set.
   *
   * @throws StorageException INVALID when the setting is wrong; a download never connects directly
   *     then
   */
  Optional<InetSocketAddress> proxy() throws StorageException {
    // A wrong value is not replaced by the default, which would connect directly.
    String value =
        find(PlatformSettings.IMAGE_PROXY).map(setting -> setting.spec().value()).orElse("");
    if (value.isEmpty()) {
      return Optional.empty();
    }
    try {
      URI uri = new URI(value);
      boolean plain = "http".equals(uri.getScheme()) && uri.getRawUserInfo() == null;
      if (plain && uri.getHost() != null && uri.getPort() > 0 && uri.getPort() <= 65_535) {
        String host = uri.getHost().replaceAll("[\\[\\]]", "");
        return Optional.of(InetSocketAddress.createUnresolved(host, uri.getPort()));
      }
    } catch (URISyntaxException e) {
      // Reported as any other wrong value.
    }
    throw new StorageException(
        ErrorCode.INVALID,
        "setting "
            + PlatformSettings.IMAGE_PROXY.name()
            + ": expected an address such as http://proxy.example:3128");
  }

  /** The addresses to which sources may connect. */
  NetworkPolicy networks() throws StorageException {
    Set<InetAddress> nodes = new HashSet<>();
    for (Node node : context.list(Node.KIND, LabelSelector.ALL)) {
      String address = node.status().address();
      // Names of nodes are not resolved here: a download must not wait for name servers.
      if (address.matches("[0-9.]+") || address.contains(":")) {
        try {
          nodes.add(InetAddress.getByName(address));
        } catch (UnknownHostException e) {
          // Not an address: nothing can be compared with it.
        }
      }
    }
    return NetworkPolicy.of(
        PlatformSettings.IMAGE_NETWORKS.effective(find(PlatformSettings.IMAGE_NETWORKS)), nodes);
  }
}
