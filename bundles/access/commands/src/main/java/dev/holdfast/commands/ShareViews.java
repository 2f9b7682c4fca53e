package dev.holdfast.commands;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.client.ShareProblem;
import dev.holdfast.resource.RequestOutcome;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.share.AllowedClient;
import dev.holdfast.share.ShareManager;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Formats shares for output. */
public final class ShareViews {
  private final ResourceJson json = new ResourceJson();

  /** Shows that a volume was or will be shared. */
  public Output shared(ShareManager share) {
    return new Output(
        () ->
            share.status().endpoint().isEmpty()
                ? "share " + share.name() + " is requested; " + ShareProblem.of(share)
                : "share "
                    + share.name()
                    + " is served at "
                    + share.status().endpoint()
                    + " by node "
                    + share.status().nodeID()
                    + " for "
                    + allowed(share),
        () -> json.tree(share));
  }

  private static String allowed(ShareManager share) {
    List<AllowedClient> clients = share.spec().allowedClients();
    return clients.isEmpty()
        ? "the nodes of the cluster"
        : clients.stream().map(ShareViews::allowed).collect(Collectors.joining(", "));
  }

  private static String allowed(AllowedClient client) {
    return client.address() + (client.readOnly() ? " (read-only)" : "");
  }

  /** Shows all shares. */
  public Output shares(List<ShareManager> shares) {
    return new Output(
        () -> {
          Table table = new Table("NAME", "STATE", "NODE", "ENDPOINT", "CLIENTS");
          shares.forEach(
              share ->
                  table.row(
                      share.name(),
                      share.status().state(),
                      share.status().nodeID(),
                      share.status().endpoint(),
                      share.status().clients().size()));
          return table.orIfEmpty(
              "No volume has a share. Try: holdfast volume create NAME --size SIZE --access-mode"
                  + " rwx");
        },
        () -> tree(shares));
  }

  private ObjectNode tree(List<ShareManager> shares) {
    ObjectNode list = json.mapper().createObjectNode();
    ArrayNode items = list.putArray("items");
    shares.forEach(share -> items.add(json.tree(share)));
    return list;
  }

  /**
   * Shows one share.
   *
   * @param workloads the nodes whose pods use it
   */
  public Output share(ShareManager share, List<String> workloads) {
    return new Output(
        () -> {
          List<String> lines = new ArrayList<>();
          lines.add("Name:       " + share.name());
          lines.add("State:      " + share.status().state());
          if (share.status().state() != InstanceState.RUNNING) {
            lines.add("Cause:      " + Table.printable(ShareProblem.of(share)));
          }
          lines.add("Node:       " + orDash(share.status().nodeID()));
          lines.add("Endpoint:   " + orDash(share.status().endpoint()));
          lines.add("Address:    " + (address(share).isEmpty() ? "the node's" : address(share)));
          lines.add("Allowed:    " + allowed(share));
          lines.add("Squash:     " + share.spec().squash());
          lines.add("Wanted by:  " + wantedBy(share, workloads));
          lines.add("Clients:    " + orDash(String.join(", ", share.status().clients())));
          lines.add("Epoch:      " + share.status().epoch().number());
          lines.add("Server:     " + orDash(share.status().serverVersion()));
          ShareProblem.ofGrowth(share)
              .ifPresent(problem -> lines.add("Growth:     " + Table.printable(problem)));
          return String.join("\n", lines);
        },
        () -> json.tree(share));
  }

  private static String address(ShareManager share) {
    return share.spec().address();
  }

  private static String orDash(String text) {
    return text.isEmpty() ? "-" : text;
  }

  private static String wantedBy(ShareManager share, List<String> workloads) {
    List<String> all = new ArrayList<>();
    if (share.spec().serve()) {
      all.add("user");
    }
    workloads.forEach(node -> all.add("pods on " + node));
    return all.isEmpty() ? "-" : String.join(", ", all);
  }

  /**
   * Shows that a share was stopped, or that its request was withdrawn.
   *
   * @param workloads the nodes whose pods keep it running
   */
  public Output stopped(ShareManager share, List<String> workloads) {
    return new Output(
        () ->
            "share "
                + share.name()
                + (workloads.isEmpty()
                    ? " is " + share.status().state()
                    : " still runs for pods on " + String.join(", ", workloads)),
        () -> json.tree(share));
  }

  /** Shows the clients of a share. */
  public Output clients(ShareManager share) {
    return new Output(
        () -> {
          Table table = new Table("CLIENT");
          share.status().clients().forEach(table::row);
          return table.orIfEmpty("No client has mounted share " + share.name() + ".")
              + "\nAllowed: "
              + allowed(share);
        },
        () -> {
          ObjectNode tree = json.mapper().createObjectNode();
          ArrayNode clients = tree.putArray("clients");
          share.status().clients().forEach(clients::add);
          ArrayNode allowed = tree.putArray("allowed");
          share
              .spec()
              .allowedClients()
              .forEach(
                  client ->
                      allowed
                          .addObject()
                          .put("address", client.address())
                          .put("readOnly", client.readOnly()));
          return tree;
        });
  }

  /** Shows that a share was trimmed. */
  public Output trimmed(String name, RequestOutcome outcome) {
    return new Output(
        () -> "share " + name + " is trimmed: " + Table.printable(outcome.result()),
        () -> json.mapper().createObjectNode().put("share", name).put("result", outcome.result()));
  }
}
