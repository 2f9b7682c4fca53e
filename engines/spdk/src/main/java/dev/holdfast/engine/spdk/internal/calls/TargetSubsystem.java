package dev.holdfast.engine.spdk.internal.calls;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/**
 * A subsystem as the target describes it.
 *
 * @param nqn its name, not null
 * @param hosts names of the admitted hosts, not null
 * @param listeners where it listens, not null
 * @param device name of the namespace's device, empty without a namespace, not null
 */
public record TargetSubsystem(
    String nqn, List<String> hosts, List<TargetListener> listeners, String device) {
  /** Copies the lists. */
  public TargetSubsystem {
    hosts = List.copyOf(hosts);
    listeners = List.copyOf(listeners);
  }

  static TargetSubsystem of(JsonNode entry) {
    List<String> hosts = new ArrayList<>();
    entry.path("hosts").forEach(host -> hosts.add(host.path("nqn").asText()));
    List<TargetListener> listeners = new ArrayList<>();
    for (JsonNode address : entry.path("listen_addresses")) {
      listeners.add(
          new TargetListener(address.path("traddr").asText(), address.path("trsvcid").asInt()));
    }
    return new TargetSubsystem(
        entry.path("nqn").asText(),
        hosts,
        listeners,
        entry.path("namespaces").path(0).path("bdev_name").asText());
  }
}
