package dev.holdfast.store.remote;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.json.ResourceJson;
import java.util.Optional;

/** Reads JSON documents of an API server that are not resources. Thread-safe. */
public final class ApiDocuments {
  private final RestClient client;

  /**
   * Prepares the reader; connects at the first use.
   *
   * @throws StorageException INVALID when the CA certificate is not PEM
   */
  public ApiDocuments(ApiConnection connection) throws StorageException {
    this.client = new RestClient(connection, new ResourceJson());
  }

  /**
   * Returns the response to a GET.
   *
   * @param path absolute, with its query, not null
   * @return never null
   * @throws StorageException with the server's error; UNREACHABLE
   */
  public JsonNode read(String path) throws StorageException {
    return client.send(Setting.KIND, "GET", path, Optional.empty());
  }
}
