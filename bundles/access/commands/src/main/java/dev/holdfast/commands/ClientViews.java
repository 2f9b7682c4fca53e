package dev.holdfast.commands;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.access.BlockClient;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.store.ResourceList;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/** Formats clients of volumes for output. Secrets are never shown. */
public final class ClientViews {
  private final ResourceJson json = new ResourceJson();

  /** Creates a view. */
  public ClientViews() {}

  /** Shows a client whose files were written. */
  public Output written(BlockClient client, Path directory, List<String> hints) {
    String text =
        "client "
            + client.name()
            + ": credentials are in "
            + directory
            + (hints.isEmpty() ? "" : "\n" + String.join("\n", hints));
    ObjectNode tree =
        json.mapper()
            .createObjectNode()
            .put("name", client.name())
            .put("directory", directory.toString());
    return new Output(() -> text, () -> tree);
  }

  /** Shows all clients. */
  public Output list(ResourceList<BlockClient> clients, Instant now) {
    return new Output(
        () -> table(clients, now),
        () -> json.listTree(BlockClient.KIND, clients.items(), clients.resourceVersion()));
  }

  private static String table(ResourceList<BlockClient> clients, Instant now) {
    Table table = new Table("NAME", "VOLUMES", "ACCESS", "EXPIRES", "CERTIFICATES", "INITIATORS");
    for (BlockClient client : clients.items()) {
      table.row(
          client.name(),
          String.join(",", client.spec().volumes()),
          client.spec().access().toString(),
          expiry(client.spec().expiresAt(), now),
          String.valueOf(client.spec().certificates().size()),
          String.join(",", client.spec().initiators()));
    }
    return table.orIfEmpty(
        "No clients. Make one: holdfast client add NAME --volume V --directory DIR");
  }

  private static String expiry(Optional<Instant> end, Instant now) {
    return end.map(
            time -> (time.isAfter(now) ? "" : "expired ") + time.truncatedTo(ChronoUnit.SECONDS))
        .orElse("never");
  }

  /** Shows a client that was removed. */
  public Output removed(String name) {
    return new Output(
        () -> "client " + name + " is removed: its sessions end within 5 s",
        () -> json.mapper().createObjectNode().put("removed", name));
  }
}
