package dev.holdfast.apiserver.internal.resources;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.cluster.Event;
import dev.holdfast.resource.cluster.EventSpec;
import dev.holdfast.resource.json.ResourceJson;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/** Our events in the form of the core group, in which {@code kubectl describe} finds them. */
public final class CoreEvents {
  /** Namespace of objects that must have one. */
  static final String NAMESPACE = "default";

  private CoreEvents() {}

  public static ServedKind<Event> servedKind(ResourceJson json) {
    Event empty =
        new Event(
            ObjectMeta.named(""),
            new EventSpec(null, null, null, null, null, 0, Optional.empty(), Optional.empty()),
            null);
    return new ServedKind<>(
        Event.KIND,
        "",
        event -> tree(event, json),
        tree(empty, json),
        List.of(
            column("Last Seen", "date", ".lastTimestamp", false),
            column("Type", "string", ".type", false),
            column("Reason", "string", ".reason", false),
            column("Object", "string", ".involvedObject.name", false),
            column("Subobject", "string", ".involvedObject.fieldPath", true),
            column("Source", "string", ".source.component", true),
            column("Message", "string", ".message", false),
            column("First Seen", "date", ".firstTimestamp", true),
            column("Count", "integer", ".count", true),
            new TableColumn(
                "Name", "string", "name", JsonPath.parse(".metadata.name"), true, "Its name.")));
  }

  private static TableColumn column(String name, String type, String path, boolean wide) {
    return new TableColumn(name, type, "", JsonPath.parse(path), wide, name);
  }

  private static ObjectNode tree(Event event, ResourceJson json) {
    EventSpec spec = event.spec();
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("kind", "Event");
    node.put("apiVersion", "v1");
    ObjectNode metadata = json.metadataTree(event.metadata());
    metadata.put("namespace", NAMESPACE);
    node.set("metadata", metadata);
    ObjectNode object = node.putObject("involvedObject");
    object.put("namespace", "");
    object.put("fieldPath", "");
    object.put("resourceVersion", "");
    object.put("kind", spec.regarding().kind());
    object.put("apiVersion", ResourceKind.API_VERSION);
    object.put("name", spec.regarding().name());
    object.put("uid", spec.regarding().uid());
    node.put("reason", spec.reason());
    node.put("message", spec.message());
    node.putObject("source").put("component", spec.reportingController());
    putTime(node, "firstTimestamp", spec.firstTimestamp());
    putTime(node, "lastTimestamp", spec.lastTimestamp());
    node.put("count", spec.count());
    node.put("type", spec.type());
    node.put("reportingComponent", spec.reportingController());
    node.put("reportingInstance", "");
    return node;
  }

  private static void putTime(ObjectNode node, String field, Optional<Instant> time) {
    time.ifPresent(t -> node.put(field, t.truncatedTo(ChronoUnit.SECONDS).toString()));
  }

  /** Returns the served kinds of the core group. */
  public static ArrayNode resourceList() {
    ArrayNode list = JsonNodeFactory.instance.arrayNode();
    ObjectNode events = list.addObject();
    events.put("name", "events");
    events.put("singularName", "event");
    events.put("namespaced", true);
    events.put("kind", "Event");
    events.putArray("verbs").add("get").add("list").add("watch");
    events.putArray("shortNames").add("ev");
    return list;
  }
}
