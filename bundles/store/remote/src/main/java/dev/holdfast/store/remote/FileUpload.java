package dev.holdfast.store.remote;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.json.ResourceJson;
import java.nio.file.Path;

/** Sends files to subresources of an API server. Thread-safe. */
public final class FileUpload {
  private final RestClient client;

  /**
   * Prepares an upload; connects at the first use.
   *
   * @throws StorageException INVALID when the CA certificate is not PEM
   */
  public FileUpload(ApiConnection connection) throws StorageException {
    this.client = new RestClient(connection, new ResourceJson());
  }

  /**
   * Sends a file as the body of a POST.
   *
   * @param file to send, not null
   * @param kind of the resource, not null
   * @param name of the resource, not null
   * @param subresource with its query, not null
   * @throws StorageException with the server's error; UNREACHABLE; IO when the file cannot be read
   */
  public void send(Path file, ResourceKind<?> kind, String name, String subresource)
      throws StorageException {
    client.sendFile(kind, RestClient.path(kind, name) + "/" + subresource, file);
  }
}
