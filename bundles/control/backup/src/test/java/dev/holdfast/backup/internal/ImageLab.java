package dev.holdfast.backup.internal;

import dev.holdfast.controller.testkit.Faults;
import dev.holdfast.controller.testkit.Simulation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.imagesource.ClusterDisks;
import dev.holdfast.imagesource.SourceDisk;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.backup.BackupBackingImage;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.BackupTargetSpec;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageSpec;
import dev.holdfast.resource.image.BackingImageStatus;
import dev.holdfast.store.ResourceStore;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** A cluster with images in memory and running backup controllers. */
final class ImageLab implements ClusterDisks {
  static final String IMAGE = "debian";
  static final String ENTRY = BackupBackingImage.nameFor(BackupTarget.DEFAULT_NAME, IMAGE);
  static final Duration LIMIT = Duration.ofMinutes(40);

  final Map<String, byte[]> images = new ConcurrentHashMap<>();
  final Simulation simulation;
  final ResourceStore store;
  private int requests;

  ImageLab(long seed, Faults faults, InstalledTargets targets) throws StorageException {
    ClusterImages disks = new ClusterImages();
    disks.addDisks(this);
    Simulation.Builder builder = Simulation.builder(seed).faults(faults);
    for (String node : List.of("node-1", "node-2")) {
      builder
          .reconciler(node, () -> new TargetScanReconciler(targets, Runnable::run))
          .reconciler(node, () -> new ImageScanReconciler(targets, Runnable::run))
          .reconciler(node, () -> new ImageBackupReconciler(targets, disks, Runnable::run))
          .reconciler(node, () -> new RestoreReconciler(targets, Runnable::run));
    }
    simulation = builder.build();
    store = simulation.store();
    store.create(
        BackupTarget.of(
            BackupTarget.DEFAULT_NAME,
            BackupTargetSpec.EMPTY.withBackupTargetURL(MemoryTargets.URL)));
  }

  /** Adds a ready image. */
  void add(byte[] content, String checksum, String contentChecksum) throws StorageException {
    images.put(IMAGE, content);
    BackingImage made =
        store.create(BackingImage.of(IMAGE, BackingImageSpec.EMPTY.withSourceType("upload")));
    ready(made, content.length, checksum, contentChecksum);
  }

  /** Reports an image as ready, as its controllers do. */
  void ready(BackingImage image, int size, String checksum, String contentChecksum)
      throws StorageException {
    store.updateStatus(image.withStatus(status(size, checksum, contentChecksum)));
  }

  /** Returns the status of a ready image. */
  static BackingImageStatus status(int size, String checksum, String contentChecksum) {
    return BackingImageStatus.EMPTY
        .withUuid("u")
        .withFormat("qcow2")
        .withChecksum(checksum)
        .withContentChecksum(contentChecksum)
        .withVirtualSize(new Quantity(size))
        .withConditions(
            Condition.with(
                List.of(), Condition.READY, Condition.Status.TRUE, "Ready", "", Instant.EPOCH));
  }

  /** Requests a backup of the image. */
  void request() throws StorageException {
    BackupBackingImage entry = BackupBackingImage.of(BackupTarget.DEFAULT_NAME, IMAGE);
    store.create(entry.withSpec(entry.spec().withUserCreated(true)));
  }

  Optional<BackupBackingImage> entry() throws StorageException {
    return store.get(BackupBackingImage.KIND, ENTRY);
  }

  void scan() throws StorageException {
    BackupTarget target = store.get(BackupTarget.KIND, BackupTarget.DEFAULT_NAME).orElseThrow();
    store.update(target.withSpec(target.spec().withSyncRequest("request-" + ++requests)));
  }

  /** Gives the target a secret with the keys of its packed backups. */
  void encrypt(String secret) throws StorageException {
    BackupTarget target = store.get(BackupTarget.KIND, BackupTarget.DEFAULT_NAME).orElseThrow();
    store.update(target.withSpec(target.spec().withLayout("packed").withEncryptionSecret(secret)));
  }

  @Override
  public SourceDisk volume(String volume, String snapshot) throws StorageException {
    throw new StorageException(ErrorCode.UNSUPPORTED, "no volumes");
  }

  @Override
  public SourceDisk image(String image) {
    return new MemoryDisk(images.get(image));
  }

  /** An image in memory. */
  static final class MemoryDisk implements SourceDisk {
    private final byte[] content;

    MemoryDisk(byte[] content) {
      this.content = content;
    }

    @Override
    public long size() {
      return content.length;
    }

    @Override
    public BitSet dataClusters(int cluster) {
      BitSet clusters = new BitSet();
      for (int i = 0; i < content.length; i++) {
        if (content[i] != 0) {
          clusters.set(i / cluster);
        }
      }
      return clusters;
    }

    @Override
    public void copy(long offset, long length, Target target) throws StorageException {
      target.data(ByteBuffer.wrap(content, (int) offset, (int) length));
    }

    @Override
    public void close() {}
  }
}
