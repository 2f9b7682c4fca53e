package dev.holdfast.image.internal.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.datapath.testkit.Awaiting;
import dev.holdfast.diskimage.Qcow2Layout;
import dev.holdfast.engine.BaseContent;
import dev.holdfast.engine.BaseLocation;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.ReplicaRequest;
import dev.holdfast.error.StorageException;
import dev.holdfast.image.internal.content.BlockIo;
import dev.holdfast.imagesource.ImageBody;
import dev.holdfast.imagesource.upload.internal.UploadSource;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageDataSource;
import dev.holdfast.resource.image.BackingImageManager;
import dev.holdfast.resource.image.BackingImageSpec;
import dev.holdfast.resource.image.ImageState;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.LabelSelector;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Images from their creation to their end, with the real controllers and sources on one node. */
class ImageLifecycleTest extends ImageFixture {
  private static String sha512(byte[] bytes) throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-512").digest(bytes));
  }

  private byte[] stored() throws Exception {
    BlockDevice device = engine.content(IMAGE).orElseThrow();
    ByteBuffer buffer = ByteBuffer.allocate((int) device.size());
    BlockIo.read(device, 0, buffer);
    return buffer.array();
  }

  @Test
  void downloadBecomesABaseWithTheContent() throws Exception {
    create(download().withChecksum(sha512(content)));

    BackingImage image = untilReady();

    assertThat(image.status().uuid()).isNotEmpty();
    assertThat(image.status().checksum()).isEqualTo(sha512(content));
    assertThat(image.status().contentChecksum()).startsWith("sha256-16m:");
    assertThat(image.status().virtualSize()).isEqualTo(new Quantity(content.length));
    assertThat(image.status().format()).isEqualTo("raw");
    assertThat(stored()).isEqualTo(content);
    Awaiting.until(
        store, BackingImageDataSource.KIND, IMAGE, source -> source.spec().fileTransferred());
  }

  @Test
  void wrongChecksumFailsTheImage() throws Exception {
    create(download().withChecksum("0".repeat(128)));

    assertThat(untilFailed()).contains("SHA-512").contains("expected");
    assertThat(engine.count(IMAGE)).isZero();
  }

  @Test
  void unknownParameterFailsTheImage() throws Exception {
    create(download().withSourceParameters(Map.of("address", "x")));

    assertThat(untilFailed()).contains("spec.sourceParameters[address]");
  }

  @Test
  void uploadIsReceivedAndStored() throws Exception {
    create(BackingImageSpec.EMPTY.withSourceType("upload").withDataEngine("fake"));
    BackingImageDataSource source =
        Awaiting.until(
            store,
            BackingImageDataSource.KIND,
            IMAGE,
            s -> s.status().currentState() == ImageState.STARTING);

    transfers.receive(
        source,
        new UploadSource(),
        new ImageBody(content.length, new ByteArrayInputStream(content)),
        1L << 30);

    assertThat(untilReady().status().checksum()).isEqualTo(sha512(content));
    assertThat(stored()).isEqualTo(content);
  }

  @Test
  void shortUploadFailsTheImage() throws Exception {
    create(BackingImageSpec.EMPTY.withSourceType("upload").withDataEngine("fake"));
    BackingImageDataSource source =
        Awaiting.until(
            store,
            BackingImageDataSource.KIND,
            IMAGE,
            s -> s.status().currentState() == ImageState.STARTING);

    assertThatThrownBy(
            () ->
                transfers.receive(
                    source,
                    new UploadSource(),
                    new ImageBody(content.length + 1L, new ByteArrayInputStream(content)),
                    1L << 30))
        .isInstanceOf(StorageException.class);
    assertThat(untilFailed()).contains("before its size");
  }

  @Test
  void secondCopyIsMadeFromTheFirst() throws Exception {
    create(download().withMinNumberOfCopies(2));

    Awaiting.until(
        store,
        BackingImage.KIND,
        IMAGE,
        image ->
            image.status().diskFileStatusMap().values().stream()
                    .filter(file -> file.state() == ImageState.READY)
                    .count()
                == 2);
    assertThat(engine.count(IMAGE)).isEqualTo(2);
  }

  /** The disk of the image contains a file of another disk, which a clone must not interpret. */
  @Test
  void cloneWhoseContentBeginsLikeQcow2KeepsItsContent() throws Exception {
    BackingImage original = diskThatHoldsAnImageFile();
    store.create(
        BackingImage.of(
            "copy",
            BackingImageSpec.EMPTY
                .withSourceType("clone")
                .withDataEngine("fake")
                .withSourceParameters(Map.of("backing-image", IMAGE))));

    BackingImage copy = Awaiting.until(store, BackingImage.KIND, "copy", BackingImage::isReady);
    assertThat(copy.status().contentChecksum()).isEqualTo(original.status().contentChecksum());
    assertThat(copy.status().format()).isEqualTo("raw");
  }

  /** Creates an image, delivered as qcow2, whose disk begins like a qcow2 file. */
  private BackingImage diskThatHoldsAnImageFile() throws Exception {
    byte[] disk = Arrays.copyOf(content, 1 << 20);
    ByteBuffer.wrap(disk).put(new byte[] {'Q', 'F', 'I', (byte) 0xfb}).putInt(2);
    BitSet data = new BitSet();
    data.set(0, disk.length / Qcow2Layout.CLUSTER);
    Qcow2Layout layout = new Qcow2Layout(disk.length, data);
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    layout.write(
        0,
        layout.length(),
        new Qcow2Layout.Output() {
          @Override
          public void table(ByteBuffer bytes) {
            byte[] copied = new byte[bytes.remaining()];
            bytes.get(copied);
            file.writeBytes(copied);
          }

          @Override
          public void disk(long offset, long length) {
            file.write(disk, (int) offset, (int) length);
          }
        });
    server.createContext(
        "/disk.qcow2",
        exchange -> {
          exchange.sendResponseHeaders(200, file.size());
          file.writeTo(exchange.getResponseBody());
          exchange.close();
        });
    create(download().withSourceParameters(Map.of("url", url("/disk.qcow2"))));
    return untilReady();
  }

  @Test
  void cloneHasTheContentOfTheOtherImage() throws Exception {
    create(download());
    BackingImage original = untilReady();
    store.create(
        BackingImage.of(
            "copy",
            BackingImageSpec.EMPTY
                .withSourceType("clone")
                .withDataEngine("fake")
                .withSourceParameters(Map.of("backing-image", IMAGE))));

    BackingImage copy = Awaiting.until(store, BackingImage.KIND, "copy", BackingImage::isReady);
    assertThat(copy.status().contentChecksum()).isEqualTo(original.status().contentChecksum());
    assertThat(copy.status().checksum()).isEqualTo(sha512(content));
    assertThat(copy.status().uuid()).isNotEqualTo(original.status().uuid());
  }

  @Test
  void exportOfAnUnknownVolumeFailsTheImage() throws Exception {
    create(
        BackingImageSpec.EMPTY
            .withSourceType("export-from-volume")
            .withDataEngine("fake")
            .withSourceParameters(Map.of("volume-name", "lost")));

    assertThat(untilFailed())
        .contains("spec.sourceParameters[volume-name]: volume lost does not exist");
  }

  @Test
  void exportWaitsUntilItsVolumeIsAttached() throws Exception {
    store.create(
        Volume.of("vol", VolumeSpec.EMPTY.withSize(Quantity.parse("4Mi")).withDataEngine("fake")));
    create(
        BackingImageSpec.EMPTY
            .withSourceType("export-from-volume")
            .withDataEngine("fake")
            .withSourceParameters(Map.of("volume-name", "vol")));

    BackingImageDataSource waiting =
        Awaiting.until(
            store,
            BackingImageDataSource.KIND,
            IMAGE,
            source -> source.status().message().contains("volume vol is attached to node"));
    assertThat(waiting.status().currentState()).isEqualTo(ImageState.PENDING);
    assertThat(waiting.neededVolume()).contains("vol");
  }

  private static BaseLocation place(BackingImage image, BackingImageManager manager) {
    return new BaseLocation(
        image.name(),
        image.status().uuid(),
        DiskLocation.directory(manager.spec().nodeID(), Path.of(manager.spec().diskPath())),
        image.status().contentChecksum());
  }

  /** Triggers the manager, so that it checks its disk at once. */
  private void touch(BackingImageManager manager) throws Exception {
    BackingImageManager now = store.get(BackingImageManager.KIND, manager.name()).orElseThrow();
    Map<String, String> labels = Map.of("looked", Long.toString(System.nanoTime()));
    store.update(now.withMetadata(now.metadata().withLabels(labels)));
  }

  @Test
  void imageGoesWithItsFilesOnceNothingUsesIt() throws Exception {
    create(download());
    BackingImage image = untilReady();
    Volume volume =
        store.create(
            Volume.of(
                "vol",
                VolumeSpec.EMPTY
                    .withSize(Quantity.parse("4Mi"))
                    .withDataEngine("fake")
                    .withBackingImage(IMAGE)));
    store.delete(BackingImage.KIND, IMAGE, "");
    Awaiting.until(
        store,
        BackingImage.KIND,
        IMAGE,
        i ->
            Condition.find(i.status().conditions(), "Deleting")
                .filter(c -> c.reason().equals("InUse"))
                .isPresent());
    assertThat(engine.count(IMAGE)).isEqualTo(1);

    store.delete(Volume.KIND, "vol", volume.metadata().uid());
    Awaiting.untilGone(store, BackingImage.KIND, IMAGE);
    assertThat(engine.count(IMAGE)).isZero();
    assertThat(transferFiles()).isEmpty();
    assertThat(image.status().uuid()).isNotEmpty();
  }

  /** According to the store no replica uses the image, but a replica on the disk does. */
  @Test
  void fileBelowAReplicaStaysWhateverTheStoreSays() throws Exception {
    create(download());
    BackingImage image = untilReady();
    BackingImageManager manager =
        store.list(BackingImageManager.KIND, LabelSelector.ALL).items().get(0);
    BaseLocation base = place(image, manager);
    ReplicaLocation replica = new ReplicaLocation("vol", "vol-r-1", base.disk(), "vol-r-1", false);
    engine.provisionReplica(new ReplicaRequest(replica, 4 << 20, new BaseContent(base), Map.of()));
    store.delete(BackingImage.KIND, IMAGE, "");

    Awaiting.until(
        store,
        BackingImage.KIND,
        IMAGE,
        i ->
            Condition.find(i.status().conditions(), "Deleting")
                .filter(c -> c.message().contains("a replica stands on it"))
                .isPresent());
    assertThat(engine.count(IMAGE)).isEqualTo(1);

    engine.deleteReplica(replica);
    touch(manager);
    Awaiting.untilGone(store, BackingImage.KIND, IMAGE);
  }

  @Test
  void volumeTellsWhyItsImageCannotBeUsed() throws Exception {
    create(download());
    untilReady();
    volume("small", IMAGE, "1Mi");
    assertThat(reasonFor("small")).isEqualTo("TooSmall");
    volume("unknown", "other", "8Mi");
    assertThat(reasonFor("unknown")).isEqualTo("NotFound");
    Volume good = volume("good", IMAGE, "8Mi");
    store.updateStatus(good.withStatus(good.status().withState(VolumeState.DETACHED)));
    assertThat(reasonFor("good")).isEqualTo("Ready");
  }

  private Volume volume(String volume, String image, String size) throws Exception {
    return store.create(
        Volume.of(
            volume,
            VolumeSpec.EMPTY
                .withSize(Quantity.parse(size))
                .withDataEngine("fake")
                .withBackingImage(image)));
  }

  private String reasonFor(String volume) throws Exception {
    Volume told =
        Awaiting.until(
            store,
            Volume.KIND,
            volume,
            v ->
                Condition.find(v.status().conditions(), Volume.BACKING_IMAGE_READY_CONDITION)
                    .isPresent());
    return Condition.find(told.status().conditions(), Volume.BACKING_IMAGE_READY_CONDITION)
        .map(Condition::reason)
        .orElse("");
  }
}
