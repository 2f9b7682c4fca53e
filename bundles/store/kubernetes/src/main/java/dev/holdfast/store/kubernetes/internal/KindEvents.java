package dev.holdfast.store.kubernetes.internal;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.store.runtime.StreamWatch;
import java.io.IOException;
import java.io.InputStream;

/** The changes of one kind from the API server. */
final class KindEvents<R extends Resource<R>> implements StreamWatch.Source<R> {
  private final ApiKind<R> api;
  private final KubernetesConnection connection;

  KindEvents(ApiKind<R> api, KubernetesConnection connection) {
    this.api = api;
    this.connection = connection;
  }

  @Override
  public ResourceKind<R> kind() {
    return api.kind();
  }

  @Override
  public InputStream open(String resourceVersion) throws StorageException {
    KubernetesConnection.Opened opened =
        connection.open(
            api.collection()
                + "?watch=true&allowWatchBookmarks=true&resourceVersion="
                + ApiKind.encoded(resourceVersion)
                + api.selecting(""));
    return opened.stream().orElseThrow(() -> ApiAnswers.failure(api.kind(), "", opened.answer()));
  }

  @Override
  public R decode(JsonNode object) throws StorageException {
    return api.decode(object);
  }

  @Override
  public StorageException failure(IOException e) {
    return connection.failure(e);
  }
}
