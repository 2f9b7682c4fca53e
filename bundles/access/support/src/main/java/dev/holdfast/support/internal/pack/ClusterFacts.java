package dev.holdfast.support.internal.pack;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.access.AccessToken;
import dev.holdfast.client.HealthJson;
import dev.holdfast.error.StorageException;
import dev.holdfast.health.HealthReport;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** The resources of the cluster without access tokens, and its health problems. */
public final class ClusterFacts implements Facts {
  private final ResourceStore store;
  private final KindCatalogue kinds;
  private final HealthReport health;
  private final ResourceJson json = new ResourceJson();

  /** Reads a store. */
  public ClusterFacts(ResourceStore store, KindCatalogue kinds, HealthReport health) {
    this.store = store;
    this.kinds = kinds;
    this.health = health;
  }

  @Override
  public void collect(SupportRequest request, SecretFilter filter, EntrySink sink)
      throws IOException {
    for (ResourceKind<?> kind : kinds.kinds()) {
      if (!kind.plural().equals(AccessToken.KIND.plural())) {
        resources(kind, filter, sink);
      }
    }
    sink.entry(
        "health.json",
        filter
            .redact(HealthJson.document(health.findings()))
            .toPrettyString()
            .getBytes(StandardCharsets.UTF_8));
  }

  private <R extends Resource<R>> void resources(
      ResourceKind<R> kind, SecretFilter filter, EntrySink sink) throws IOException {
    String name = "resources/" + kind.plural();
    try {
      ObjectNode tree = JsonNodeFactory.instance.objectNode();
      tree.put("kind", kind.kind() + "List");
      ArrayNode items = tree.putArray("items");
      for (R resource : store.list(kind, LabelSelector.ALL).items()) {
        items.add(json.tree(resource));
      }
      sink.entry(
          name + ".json", filter.redact(tree).toPrettyString().getBytes(StandardCharsets.UTF_8));
    } catch (StorageException e) {
      sink.entry(
          name + ".error.txt",
          filter.redact(String.valueOf(e.getMessage())).getBytes(StandardCharsets.UTF_8));
    }
  }
}
