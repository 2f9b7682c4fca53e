package dev.holdfast.itests;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * An orchestrator: requests volumes by tickets, as for pods, removes the tickets, and checks the
 * results.
 */
final class Tickets {
  private static final String ATTACHMENTS = "volumeattachments";

  private final Api api;
  private final String type;

  /** Writes tickets of a type, as {@code api} or {@code csi-attacher}. */
  Tickets(Api api, String type) {
    this.api = api;
    this.type = type;
  }

  void ask(String volume, String node) {
    api.patch(ATTACHMENTS, volume, spec -> add(spec.putObject("attachmentTickets"), node));
  }

  void withdraw(String volume, String node) {
    api.patch(ATTACHMENTS, volume, spec -> spec.putObject("attachmentTickets").putNull(id(node)));
  }

  /** Takes a ticket for a node back and puts one for another there, in one step. */
  void move(String volume, String from, String to) {
    api.patch(
        ATTACHMENTS,
        volume,
        spec -> {
          ObjectNode tickets = spec.putObject("attachmentTickets");
          tickets.putNull(id(from));
          add(tickets, to);
        });
  }

  private void add(ObjectNode tickets, String node) {
    tickets.putObject(id(node)).put("id", id(node)).put("type", type).put("nodeID", node);
  }

  String id(String node) {
    return type + "-" + node;
  }

  /** Returns whether the ticket for a node is satisfied. */
  boolean satisfied(String volume, String node) {
    return api.get(ATTACHMENTS, volume)
        .at("/status/attachmentTicketStatuses/" + id(node) + "/satisfied")
        .asBoolean();
  }

  void awaitSatisfied(String volume, String node, Duration limit) {
    Await.until(volume + " is at " + node, limit, () -> satisfied(volume, node));
  }

  /** Waits until the next node of a volume is decided, and returns it. */
  String awaitDecision(String volume, Duration limit) {
    Await.until(volume + " goes somewhere", limit, () -> !decision(volume).isEmpty());
    return decision(volume);
  }

  private String decision(String volume) {
    return api.get("volumes", volume).at("/spec/nodeID").asText();
  }

  void awaitDetached(String volume, Duration limit) {
    awaitAll(List.of(volume), "detached", "", limit);
  }

  /** Waits until all volumes are in a state at a node, and reports the others. */
  void awaitAll(Collection<String> volumes, String state, String node, Duration limit) {
    try {
      Await.until(
          "all are " + state + " " + node, limit, () -> others(volumes, state, node).isEmpty());
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + ": " + others(volumes, state, node), e);
    }
  }

  private List<String> others(Collection<String> volumes, String state, String node) {
    return api.items("volumes").stream()
        .filter(volume -> volumes.contains(name(volume)))
        .filter(
            volume ->
                !volume.at("/status/state").asText().equals(state)
                    || !volume.at("/status/currentNodeID").asText().equals(node))
        .map(volume -> name(volume) + " " + volume.at("/status/state").asText())
        .toList();
  }

  /** Creates volumes of three replicas and waits until they can be asked for. */
  void create(Collection<String> volumes, String size) {
    for (String volume : volumes) {
      api.create(
          "volumes",
          "Volume",
          volume,
          spec ->
              spec.put("size", size)
                  .put("numberOfReplicas", 3)
                  .put("dataEngine", "sparse")
                  .put("frontend", "nbd"));
    }
    awaitAll(volumes, "detached", "", Duration.ofMinutes(2));
    Await.until(
        "all have an attachment",
        Duration.ofMinutes(1),
        () -> api.items(ATTACHMENTS).stream().map(Tickets::name).toList().containsAll(volumes));
  }

  URI endpoint(String volume) {
    return Optional.of(api.get("volumes", volume).at("/status/endpoint").asText())
        .filter(endpoint -> !endpoint.isEmpty())
        .map(URI::create)
        .orElseThrow(() -> new AssertionError(volume + " has no endpoint"));
  }

  /** Waits until a volume has so many replicas, all of them current. */
  void awaitRedundancy(String volume, int replicas, Duration limit) {
    Await.until(
        volume + " has its redundancy back",
        limit,
        () -> {
          JsonNode status = api.get("volumes", volume).path("status");
          return status.path("robustness").asText().equals("healthy")
              && status.path("replicas").findValuesAsText("mode").stream()
                      .filter("RW"::equals)
                      .count()
                  == replicas;
        });
  }

  /** Returns how many epochs the volume's present engine has had, by the store. */
  long epoch(String volume) {
    return membership(volume).path("epochNumber").asLong();
  }

  /** Waits for an epoch of so many replicas, from a number on. */
  void awaitMembers(String volume, int replicas, long epoch, Duration limit) {
    Await.until(
        volume + " has " + replicas + " members in epoch " + epoch + " or later",
        limit,
        () -> {
          JsonNode membership = membership(volume);
          return membership.path("epochNumber").asLong() >= epoch
              && membership.path("members").size() == replicas;
        });
  }

  private JsonNode membership(String volume) {
    return api.engineOf(volume).at("/status/membership");
  }

  String robustness(String volume) {
    return api.get("volumes", volume).at("/status/robustness").asText();
  }

  private static String name(JsonNode resource) {
    return resource.at("/metadata/name").asText();
  }
}
