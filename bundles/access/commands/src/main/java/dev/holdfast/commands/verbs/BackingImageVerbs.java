package dev.holdfast.commands.verbs;

import dev.holdfast.client.BackingImages;
import dev.holdfast.client.backup.ImageBackups;
import dev.holdfast.commands.BackingImageViews;
import dev.holdfast.commands.Output;
import dev.holdfast.commands.verbs.VerbOption.Repetition;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.BackupBackingImage;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageSpec;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The verbs {@code image …} for backing images. */
final class BackingImageVerbs {
  private static final VerbArgument<String> NAME =
      VerbArgument.of("NAME", String.class, Candidates.IMAGES, "The image's name.");
  private static final VerbArgument<String> NEW =
      VerbArgument.of("NAME", String.class, Candidates.NONE, "The image's name.");
  private static final VerbArgument<Path> FILE =
      VerbArgument.of(
          "FILE", Path.class, Candidates.FILES, "The image on this host, raw or qcow2.");
  private static final VerbArgument<Path> TARGET =
      VerbArgument.of("FILE", Path.class, Candidates.FILES, "New sparse file on this host.");
  private static final VerbOption<String> FORMAT =
      VerbOption.of("--format", "FORMAT", String.class, "raw or qcow2. Default: raw.");
  private static final VerbArgument<String> DISKS =
      VerbArgument.of(
              "DISK",
              String.class,
              Candidates.NONE,
              "UUID of a disk, as 'image get' shows it. Default: all disks with the image.")
          .times(0, Integer.MAX_VALUE);
  private static final VerbOption<String> URL =
      VerbOption.of("--url", "URL", String.class, "Download it from an http or https address.");
  private static final VerbOption<String> FROM_VOLUME =
      VerbOption.of(
          "--from-volume",
          "VOLUME",
          String.class,
          Candidates.VOLUMES,
          "Use the content of a volume, of which a snapshot is taken.");
  private static final VerbOption<String> FROM_IMAGE =
      VerbOption.of(
          "--from-image",
          "IMAGE",
          String.class,
          Candidates.IMAGES,
          "Use the content of another backing image.");
  private static final VerbOption<String> FROM_BACKUP =
      VerbOption.of(
          "--from-backup",
          "IMAGE",
          String.class,
          "Restore the backup of an image, as 'image backups' shows it, also of another cluster.");
  private static final VerbOption<String> SOURCE =
      VerbOption.of(
          "--source", "TYPE", String.class, "Image source that delivers it. Default: download.");
  private static final VerbOption<String> PARAMETER =
      VerbOption.of(
              "--parameter",
              "KEY=VALUE",
              String.class,
              "Parameter of the source; may be given several times.")
          .times(Repetition.REPEATED);
  private static final VerbOption<String> CHECKSUM =
      VerbOption.of(
          "--checksum",
          "SHA512",
          String.class,
          "Expected SHA-512 of the file, as sha512sum prints it. Default: accept any.");
  private static final VerbOption<Integer> COPIES =
      VerbOption.of(
          "--copies",
          "N",
          Integer.class,
          "Disks that keep it while no volume uses it. Default: 1.");
  private static final VerbOption<Integer> TIMEOUT =
      VerbOption.seconds("--timeout", 3600, "Longest time to wait.");

  static final VerbOption<String> OF_VOLUME =
      VerbOption.of(
          "--image",
          "IMAGE",
          String.class,
          Candidates.IMAGES,
          "Backing image whose content the volume has at first.");

  static final List<Verb> ALL =
      List.of(
          new Verb(
              "image create",
              List.of(NEW),
              List.of(
                  URL,
                  FROM_VOLUME,
                  FROM_IMAGE,
                  FROM_BACKUP,
                  ImageBackupVerbs.TARGET,
                  SOURCE,
                  PARAMETER,
                  CHECKSUM,
                  COPIES,
                  Common.NO_WAIT,
                  TIMEOUT),
              "Make a backing image, which many volumes can share.",
              BackingImageVerbs::create),
          new Verb(
              "image upload",
              List.of(NEW, FILE),
              List.of(CHECKSUM, COPIES, TIMEOUT),
              "Make a backing image of a file on this host.",
              BackingImageVerbs::upload),
          new Verb(
              "image download",
              List.of(NAME, TARGET),
              List.of(FORMAT),
              "Store the content of a backing image in a file on this host.",
              BackingImageVerbs::download),
          new Verb(
              "image list",
              List.of(),
              List.of(),
              "Show all backing images.",
              call -> views(call).images(images(call).list())),
          new Verb(
              "image get",
              List.of(NAME),
              List.of(),
              "Show one backing image and its files; with -o json the resource itself.",
              call -> views(call).image(images(call).get(call.get(NAME)))),
          new Verb(
              "image cleanup",
              List.of(NAME, DISKS),
              List.of(),
              "Remove files of a backing image that no volume needs; the last copies stay.",
              call -> views(call).cleanup(images(call).cleanup(call.get(NAME), call.all(DISKS)))),
          new Verb(
              "image delete",
              List.of(NAME),
              List.of(Common.NO_WAIT, Common.TIMEOUT),
              "Delete a backing image; one that a volume uses is refused.",
              BackingImageVerbs::delete));

  private BackingImageVerbs() {}

  private static Output create(VerbCall call) throws StorageException {
    Map<String, String> parameters = Common.keyValues(PARAMETER, call);
    call.value(URL).ifPresent(url -> parameters.put("url", url));
    call.value(FROM_VOLUME).ifPresent(volume -> parameters.put("volume-name", volume));
    call.value(FROM_IMAGE).ifPresent(image -> parameters.put("backing-image", image));
    String checksum = call.value(CHECKSUM).orElse("");
    if (call.value(FROM_BACKUP).isPresent()) {
      BackupBackingImage backup =
          new ImageBackups(call.context().store())
              .get(call.value(FROM_BACKUP).get(), ImageBackupVerbs.target(call));
      parameters.put(BackupBackingImage.URL_PARAMETER, backup.status().url());
      checksum = checksum.isEmpty() ? backup.status().checksum() : checksum;
    }
    BackingImageSpec spec =
        spec(call)
            .withSourceType(sourceType(call))
            .withSourceParameters(parameters)
            .withChecksum(checksum);
    BackingImage created =
        images(call).create(call.get(NEW), spec, call.waiting(!call.has(Common.NO_WAIT), TIMEOUT));
    return views(call).created(created);
  }

  /** Returns the source type. The options that name a source are mutually exclusive. */
  private static String sourceType(VerbCall call) throws StorageException {
    Map<String, String> named = new TreeMap<>();
    call.value(URL).ifPresent(url -> named.put("--url", "download"));
    call.value(FROM_VOLUME).ifPresent(volume -> named.put("--from-volume", "export-from-volume"));
    call.value(FROM_IMAGE).ifPresent(image -> named.put("--from-image", "clone"));
    call.value(FROM_BACKUP)
        .ifPresent(image -> named.put("--from-backup", BackupBackingImage.SOURCE_TYPE));
    if (call.value(ImageBackupVerbs.TARGET).isPresent() && call.value(FROM_BACKUP).isEmpty()) {
      throw new WrongUse("--target is for --from-backup: give both");
    }
    if (named.size() > 1 || (call.value(SOURCE).isPresent() && named.size() == 1)) {
      throw new WrongUse(
          String.join(" and ", named.keySet())
              + (named.size() > 1 ? "" : " and --source")
              + ": give one of them");
    }
    return call.value(SOURCE).orElse(named.values().stream().findFirst().orElse("download"));
  }

  private static Output upload(VerbCall call) throws StorageException {
    BackingImages images = images(call);
    String name = call.get(NEW);
    Path file = call.get(FILE).toAbsolutePath().normalize();
    long size = call.context().sizeOf(file);
    images.createForUpload(name, spec(call).withSourceType("upload"));
    images.awaitUpload(name, call.waiting(true, TIMEOUT));
    BackingImage before = images.get(name);
    call.context().send(file, BackingImage.KIND, name, "upload?size=" + size);
    return views(call).created(images.awaitReadyAfter(before, call.waiting(true, TIMEOUT)));
  }

  private static Output download(VerbCall call) throws StorageException {
    String name = call.get(NAME);
    String format = call.value(FORMAT).orElse("raw");
    if (!format.equals("raw") && !format.equals("qcow2")) {
      throw new WrongUse("--format " + format + ": expected raw or qcow2");
    }
    Path file = call.get(TARGET).toAbsolutePath().normalize();
    call.context().receive(file, BackingImage.KIND, name, "download?format=" + format);
    return views(call).downloaded(name, file, call.context().sizeOf(file));
  }

  private static BackingImageSpec spec(VerbCall call) {
    return BackingImageSpec.EMPTY
        .withChecksum(call.value(CHECKSUM).orElse(""))
        .withMinNumberOfCopies(call.value(COPIES).orElse(1));
  }

  private static Output delete(VerbCall call) throws StorageException {
    images(call).delete(call.get(NAME), call.waiting());
    return views(call).deleted(call.get(NAME));
  }

  private static BackingImages images(VerbCall call) throws StorageException {
    return new BackingImages(call.context().store());
  }

  private static BackingImageViews views(VerbCall call) {
    return new BackingImageViews(call.context().clock());
  }
}
