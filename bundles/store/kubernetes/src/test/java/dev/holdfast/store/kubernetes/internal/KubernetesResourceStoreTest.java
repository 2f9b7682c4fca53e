package dev.holdfast.store.kubernetes.internal;

import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.testkit.ResourceStoreKit;
import java.util.OptionalInt;
import org.junit.jupiter.api.Tag;

/** The kit over a real API server of Kubernetes and a real etcd. */
@Tag("slow")
class KubernetesResourceStoreTest extends ResourceStoreKit {
  @Override
  protected ResourceStore open() throws Exception {
    ResourceStore store = TestCluster.store(TestCluster.server().kubeconfig());
    TestCluster.clear(store);
    return store;
  }

  @Override
  protected void close(ResourceStore store) {
    ((KubernetesResourceStore) store).close();
  }

  @Override
  protected OptionalInt keptChanges() {
    return OptionalInt.empty();
  }
}
