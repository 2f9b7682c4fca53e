package dev.holdfast.image.internal.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.testkit.StoreContext;
import dev.holdfast.datapath.testkit.Awaiting;
import dev.holdfast.datapath.testkit.VolumeResources;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageDataSource;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.ForwardingResourceStore;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.ResourceStore;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The creation of volumes on a delivered image causes few requests to the store. */
class SettledImageTest extends ImageFixture {
  private final List<String> requests = new ArrayList<>();

  /** Records the reads that the caches of a node cannot answer. */
  private final class Recorded extends ForwardingResourceStore {
    Recorded(ResourceStore store) {
      super(store);
    }

    @Override
    public <R extends Resource<R>> Optional<R> get(ResourceKind<R> kind, String name)
        throws StorageException {
      requests.add("get " + kind.kind());
      return super.get(kind, name);
    }

    @Override
    public <R extends Resource<R>> ResourceList<R> list(
        ResourceKind<R> kind, LabelSelector selector) throws StorageException {
      requests.add("list " + kind.kind());
      return super.list(kind, selector);
    }
  }

  @BeforeEach
  void deliver() throws Exception {
    create(download());
    untilReady();
    Awaiting.until(
        store, BackingImageDataSource.KIND, IMAGE, source -> source.spec().fileTransferred());
    stopControllers();
  }

  private StoreContext context() {
    return new StoreContext(store, new Recorded(store), Clock.systemUTC(), VolumeResources.NODE);
  }

  private void step() throws StorageException {
    new BackingImageReconciler().reconcile(IMAGE, context());
  }

  private Volume volume(VolumeState state) throws StorageException {
    Volume made =
        store.create(
            Volume.of(
                "vm",
                VolumeSpec.EMPTY
                    .withSize(Quantity.parse("8Mi"))
                    .withDataEngine("fake")
                    .withBackingImage(IMAGE)));
    return store.updateStatus(made.withStatus(made.status().withState(state)));
  }

  private Optional<Condition> report() throws StorageException {
    new ImageVolumeReconciler().reconcile("vm", context());
    return Condition.find(
        store.get(Volume.KIND, "vm").orElseThrow().status().conditions(),
        Volume.BACKING_IMAGE_READY_CONDITION);
  }

  @Test
  void stepThatChangesNothingReadsOnlyTheCaches() throws Exception {
    step();
    requests.clear();
    volume(VolumeState.CREATING);

    step();

    assertThat(requests).isEmpty();
  }

  @Test
  void changedMinimumIsPlannedByTheStore() throws Exception {
    step();
    requests.clear();
    BackingImage image = store.get(BackingImage.KIND, IMAGE).orElseThrow();
    store.update(image.withSpec(image.spec().withMinNumberOfCopies(2)));

    step();

    assertThat(requests).contains("list Replica");
    assertThat(store.get(BackingImage.KIND, IMAGE).orElseThrow().spec().diskFileSpecMap())
        .hasSize(2);
  }

  @Test
  void readyImageIsReportedOnceTheVolumeIsCreated() throws Exception {
    Volume creating = volume(VolumeState.CREATING);
    assertThat(report()).isEmpty();

    store.updateStatus(creating.withStatus(creating.status().withState(VolumeState.DETACHED)));
    assertThat(report().map(Condition::status)).contains(Condition.Status.TRUE);
  }
}
