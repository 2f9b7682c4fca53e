package dev.holdfast.store.remote;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.cluster.ClusterRotation;
import dev.holdfast.cluster.RotationStatus;
import dev.holdfast.cluster.RotationStatus.Phase;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.resource.node.Node;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Rotation of the authority of a cluster, through the API of the node that has its store. */
final class RemoteRotation implements ClusterRotation {
  private static final String PATH = "/cluster/v1/rotation";

  private final RestClient client;
  private final ResourceJson json;

  RemoteRotation(RestClient client, ResourceJson json) {
    this.client = client;
    this.json = json;
  }

  @Override
  public RotationStatus status() throws StorageException {
    return read(client.send(Node.KIND, "GET", PATH, Optional.empty()));
  }

  @Override
  public RotationStatus rotate(boolean force) throws StorageException {
    return post(PATH, force);
  }

  @Override
  public RotationStatus finish(boolean force) throws StorageException {
    return post(PATH + "/finish", force);
  }

  private RotationStatus post(String path, boolean force) throws StorageException {
    ObjectNode body = json.mapper().createObjectNode().put("force", force);
    return read(client.send(Node.KIND, "POST", path, Optional.of(json.write(body))));
  }

  private static RotationStatus read(JsonNode document) throws StorageException {
    String phase = document.path("phase").asText();
    try {
      return new RotationStatus(
          Phase.valueOf(phase),
          document.path("authority").asText(),
          texts(document.path("waiting")),
          texts(document.path("left")));
    } catch (IllegalArgumentException e) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "the server has the unknown phase \"" + phase + "\" of a rotation: use its release",
          e);
    }
  }

  private static List<String> texts(JsonNode array) {
    List<String> texts = new ArrayList<>();
    array.forEach(text -> texts.add(text.asText()));
    return texts;
  }
}
