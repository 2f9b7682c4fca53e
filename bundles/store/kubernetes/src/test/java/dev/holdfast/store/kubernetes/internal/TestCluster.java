package dev.holdfast.store.kubernetes.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.kube.testkit.KubeApiServer;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Optional;

/** A real API server for all tests of the JVM, started at its first use. */
final class TestCluster {
  private static final ResourceJson JSON = new ResourceJson();
  private static Optional<KubeApiServer> server = Optional.empty();

  private TestCluster() {}

  static synchronized KubeApiServer server() throws IOException, StorageException {
    if (server.isEmpty()) {
      Path directory = Files.createDirectories(Path.of("target/kube")).toAbsolutePath();
      KubeApiServer started = KubeApiServer.start(Files.createTempDirectory(directory, "cluster-"));
      server = Optional.of(started);
      install(started.kubeconfig());
    }
    return server.get();
  }

  static void install(Path kubeconfig) throws StorageException {
    try (KubernetesConnection connection = connect(kubeconfig)) {
      Installation installation = new Installation(connection, JSON, KindCatalogue.load(), "0.0.1");
      while (!installation.run()) {
        Thread.onSpinWait();
      }
    }
  }

  static KubernetesConnection connect(Path kubeconfig) throws StorageException {
    return KubernetesConnection.open(Optional.of(kubeconfig), Optional.empty(), JSON);
  }

  static KubernetesResourceStore store(Path kubeconfig) throws StorageException {
    return new KubernetesResourceStore(connect(kubeconfig), JSON, Clock.systemUTC());
  }

  /** Removes all resources, including those with finalizers. */
  static void clear(ResourceStore store) throws StorageException {
    for (ResourceKind<?> kind : KindCatalogue.load().kinds()) {
      clear(store, kind);
    }
  }

  private static <R extends Resource<R>> void clear(ResourceStore store, ResourceKind<R> kind)
      throws StorageException {
    for (R resource : store.list(kind, LabelSelector.ALL).items()) {
      R bare = resource.withMetadata(resource.metadata().withFinalizers(List.of()));
      R last = store.update(bare);
      if (!last.isBeingDeleted()) {
        try {
          store.delete(kind, resource.name(), "");
        } catch (StorageException e) {
          if (e.code() != ErrorCode.NOT_FOUND) {
            throw e;
          }
        }
      }
    }
  }
}
