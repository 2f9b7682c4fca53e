package dev.holdfast.commands.verbs;

import dev.holdfast.client.VolumeRequest;
import dev.holdfast.commands.Output;
import dev.holdfast.commands.VolumeViews;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.mounts.DiskImage;
import dev.holdfast.mounts.Images;
import dev.holdfast.mounts.LayeredImport;
import dev.holdfast.mounts.LonghornImport;
import dev.holdfast.mounts.LonghornReplica;
import dev.holdfast.resource.volume.Volume;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The verbs {@code volume import} and {@code volume export}. */
final class ImageVerbs {
  /** The engine whose replicas are directories in the format of Longhorn v1. */
  private static final String SPARSE = "sparse";

  private static final VerbArgument<String> NEW =
      VerbArgument.of("NAME", String.class, Candidates.NONE, "The volume's name.");
  private static final VerbArgument<Path> IMAGE =
      VerbArgument.of("FILE", Path.class, Candidates.FILES, "The image.").times(0, 1);
  private static final VerbOption<DiskImage.Format> FORMAT =
      VerbOption.of(
          "--format",
          "FORMAT",
          DiskImage.Format.class,
          "raw or qcow2. Default: by the beginning of the file.");
  private static final VerbOption<String> SIZE =
      VerbOption.of(
          "--size", "SIZE", String.class, "Size of the volume. Default: that of the image.");
  private static final VerbOption<Path> LONGHORN =
      VerbOption.of(
          "--longhorn",
          "DIR",
          Path.class,
          Candidates.FILES,
          """
          A replica's directory of Longhorn v1 or Holdfast instead of an image, with all its \
          snapshots.
          It is copied, and not changed.""");
  private static final VerbOption<String> BACKING_IMAGE =
      VerbOption.of(
          "--image",
          "IMAGE",
          String.class,
          Candidates.IMAGES,
          "Backing image that was made of the backing file below the replica of --longhorn.");

  private static final VerbOption<String> ENGINE =
      VerbOption.of(
          "--engine",
          "ENGINE",
          String.class,
          """
          Engine that stores its bytes. Default: sparse.
          With --longhorn and another engine, each layer is written through the volume.""");
  private static final VerbOption<String> FRONTEND =
      VerbOption.of(
          "--frontend",
          "FRONTEND",
          String.class,
          "With --longhorn and --engine: frontend of the new volume. Default: nbd.");

  private static final VerbArgument<Path> FILE =
      VerbArgument.of("FILE", Path.class, Candidates.FILES, "The file; must not exist.");
  private static final VerbOption<String> SNAPSHOT =
      VerbOption.of(
          "--snapshot",
          "NAME",
          String.class,
          Candidates.SNAPSHOTS,
          "The snapshot. Default: one that is taken for it and removed again.");
  private static final VerbOption<DiskImage.Format> EXPORT_FORMAT =
      VerbOption.of("--format", "FORMAT", DiskImage.Format.class, "raw or qcow2. Default: raw.")
          .or("raw");

  static final List<Verb> ALL =
      List.of(
          new Verb(
              "volume import",
              List.of(NEW, IMAGE),
              List.of(
                  FORMAT,
                  SIZE,
                  LONGHORN,
                  BACKING_IMAGE,
                  ENGINE,
                  FRONTEND,
                  Common.REPLICAS,
                  Common.NO_WAIT,
                  Common.TIMEOUT),
              """
              Make a volume of an image, raw or qcow2, or of a replica's directory that Longhorn v1 \
              or Holdfast wrote, on this host.
              After it broke off, the same command does it again.""",
              ImageVerbs::importImage),
          new Verb(
              "volume export",
              List.of(Common.VOLUME, FILE),
              List.of(SNAPSHOT, EXPORT_FORMAT, Common.NO_WAIT, Common.TIMEOUT),
              """
              Write the present content of a volume, or a snapshot of it, into a file on this host.
              The volume may be in use.""",
              ImageVerbs::exportImage));

  private ImageVerbs() {}

  private static Output importImage(VerbCall call) throws StorageException {
    if (call.hasAny(List.of(LONGHORN))) {
      return importReplica(call);
    }
    if (call.hasAny(List.of(BACKING_IMAGE))) {
      throw new StorageException(ErrorCode.INVALID, "--image: is for --longhorn only");
    }
    if (call.hasAny(List.of(FRONTEND))) {
      throw new StorageException(ErrorCode.INVALID, "--frontend: is for --longhorn only");
    }
    Optional<Path> file = call.value(IMAGE);
    if (file.isEmpty()) {
      throw new StorageException(
          ErrorCode.INVALID, "an image FILE is needed, or --longhorn with a directory");
    }
    DiskImage image = DiskImage.inspect(file.get(), call.value(FORMAT));
    VolumeRequest request =
        VolumeRequest.of(
            call.get(NEW),
            call.value(SIZE).orElse(""),
            call.number(Common.REPLICAS),
            call.value(ENGINE),
            Optional.empty());
    return views(call)
        .imported(images(call).importImage(request, image, call.waiting()), image.file());
  }

  private static Output importReplica(VerbCall call) throws StorageException {
    if (call.hasAny(List.of(IMAGE, FORMAT, SIZE))) {
      throw new StorageException(
          ErrorCode.INVALID, "--longhorn: takes no image, no --format and no --size");
    }
    LonghornReplica replica =
        LonghornReplica.inspect(call.get(LONGHORN).toAbsolutePath().normalize());
    if (!call.value(ENGINE).orElse(SPARSE).equals(SPARSE)) {
      return views(call).imported(layered(call, replica), replica.directory());
    }
    if (call.hasAny(List.of(FRONTEND))) {
      throw new StorageException(
          ErrorCode.INVALID, "--frontend: needs --engine with another engine than sparse");
    }
    return views(call)
        .imported(
            new LonghornImport(call.context().store())
                .run(
                    call.get(NEW),
                    replica,
                    call.value(BACKING_IMAGE),
                    call.number(Common.REPLICAS),
                    call.waiting()),
            replica.directory());
  }

  private static Volume layered(VerbCall call, LonghornReplica replica) throws StorageException {
    if (call.hasAny(List.of(BACKING_IMAGE))) {
      throw new StorageException(
          ErrorCode.INVALID, "--image: is for the engine sparse, not for " + call.get(ENGINE));
    }
    VolumeRequest request =
        VolumeRequest.of(
            call.get(NEW),
            "",
            call.number(Common.REPLICAS),
            call.value(ENGINE),
            call.value(FRONTEND));
    return new LayeredImport(call.context().store(), call.context().clock(), call.context().data())
        .run(request, replica, call.waiting());
  }

  private static Output exportImage(VerbCall call) throws StorageException {
    String name = call.get(Common.VOLUME);
    return views(call)
        .exported(
            name,
            images(call)
                .exportImage(
                    name,
                    call.value(SNAPSHOT),
                    call.get(FILE).toAbsolutePath(),
                    call.get(EXPORT_FORMAT),
                    call.waiting()));
  }

  private static Images images(VerbCall call) throws StorageException {
    return new Images(call.context().store(), call.context().clock(), call.context().data());
  }

  private static VolumeViews views(VerbCall call) {
    return new VolumeViews(call.context().clock());
  }
}
