package dev.holdfast.access.audit.internal;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.audit.AuditEvent;
import dev.holdfast.resource.ResourceKind;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** Converts an event to {@code Event} of {@code audit.k8s.io/v1} at level Metadata. */
final class AuditJson {
  /** Format of times in Kubernetes' audit events, with six fractional digits. */
  private static final DateTimeFormatter MICROS =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

  private static final int FAILURE = 400;
  private static final int LONGEST = 1024;

  private AuditJson() {}

  static String line(AuditEvent event) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("kind", "Event");
    node.put("apiVersion", "audit.k8s.io/v1");
    node.put("level", "Metadata");
    node.put("auditID", event.id());
    node.put("stage", "ResponseComplete");
    node.put("requestURI", limited(event.object().uri()));
    node.put("verb", limited(event.verb()));
    ObjectNode user = node.putObject("user");
    user.put("username", event.subject().user());
    event.subject().groups().forEach(user.withArray("groups")::add);
    if (!event.subject().source().isEmpty()) {
      node.putArray("sourceIPs").add(event.subject().source());
    }
    if (!event.subject().program().isEmpty()) {
      node.put("userAgent", limited(event.subject().program()));
    }
    if (!event.object().kind().isEmpty()) {
      ObjectNode object = node.putObject("objectRef");
      object.put("resource", limited(event.object().kind()));
      putUnlessEmpty(object, "name", event.object().name());
      object.put("apiGroup", ResourceKind.GROUP);
      object.put("apiVersion", ResourceKind.VERSION);
      putUnlessEmpty(object, "subresource", event.object().subresource());
    }
    if (event.code() != 0) {
      ObjectNode status = node.putObject("responseStatus");
      status.put("code", event.code());
      if (event.code() >= FAILURE) {
        status.put("status", "Failure");
        putUnlessEmpty(status, "message", event.message());
      }
    }
    node.put("requestReceivedTimestamp", time(event.received()));
    node.put("stageTimestamp", time(event.finished()));
    if (!event.annotations().isEmpty()) {
      ObjectNode annotations = node.putObject("annotations");
      event.annotations().forEach((key, value) -> annotations.put(key, limited(value)));
    }
    return node.toString();
  }

  private static void putUnlessEmpty(ObjectNode node, String field, String text) {
    if (!text.isEmpty()) {
      node.put(field, limited(text));
    }
  }

  /** Limits the length of texts from clients, so that they cannot fill the file. */
  private static String limited(String text) {
    return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "…";
  }

  private static String time(Instant time) {
    return MICROS.format(time);
  }
}
