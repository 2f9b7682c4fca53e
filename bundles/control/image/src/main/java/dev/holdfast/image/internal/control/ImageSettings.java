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

/** The settings of images. A setting that is unset or invalid has its default. */
final class ImageSettings {
  private final ReconcileContext context;

  ImageSettings(ReconcileContext context) {
    this.context = context;
  }

  private Optional<Setting> find(SettingDefinition definition) {
    return context.get(Setting.KIND, definition.name());
  }

  /** Returns the time for which an unneeded copy is kept. */
  Duration cleanupWait() {
    return Duration.ofMinutes(
        PlatformSettings.IMAGE_CLEANUP_WAIT.number(find(PlatformSettings.IMAGE_CLEANUP_WAIT)));
  }

  /**
   * Returns the time after which a download whose copies all failed is repeated, and after which
   * the copy of an absent disk is made on another disk.
   */
  Duration recoveryWait() {
    return Duration.ofSeconds(
        PlatformSettings.IMAGE_RECOVERY_WAIT.number(find(PlatformSettings.IMAGE_RECOVERY_WAIT)));
  }

  /** Returns the largest permitted size of an image's file and of its disk, in bytes. */
  long largest() {
    return ImageLimit.of(find(PlatformSettings.IMAGE_SIZE));
  }

  /**
   * Returns the HTTP proxy of downloads; empty if none is set.
   *
   * @throws StorageException INVALID if the setting is wrong; a download then never connects
   *     directly
   */
  Optional<InetSocketAddress> proxy() throws StorageException {
    // The default does not replace a wrong value, because the default connects directly.
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
      // Reported like any other wrong value.
    }
    throw new StorageException(
        ErrorCode.INVALID,
        "setting "
            + PlatformSettings.IMAGE_PROXY.name()
            + ": expected an address such as http://proxy.example:3128");
  }

  /** Returns the addresses to which sources may connect. */
  NetworkPolicy networks() throws StorageException {
    Set<InetAddress> nodes = new HashSet<>();
    for (Node node : context.list(Node.KIND, LabelSelector.ALL)) {
      String address = node.status().address();
      // Names of nodes are not resolved here: a download must not wait for name servers.
      if (address.matches("[0-9.]+") || address.contains(":")) {
        try {
          nodes.add(InetAddress.getByName(address));
        } catch (UnknownHostException e) {
          // The text is not an address, so no address can be compared with it.
        }
      }
    }
    return NetworkPolicy.of(
        PlatformSettings.IMAGE_NETWORKS.effective(find(PlatformSettings.IMAGE_NETWORKS)), nodes);
  }
}
