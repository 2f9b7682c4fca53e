package dev.holdfast.cli;

import dev.holdfast.client.Attachments;
import dev.holdfast.client.Explanations;
import dev.holdfast.client.Snapshots;
import dev.holdfast.client.VolumeRequest;
import dev.holdfast.client.Volumes;
import dev.holdfast.commands.ExplanationViews;
import dev.holdfast.commands.SnapshotViews;
import dev.holdfast.commands.VolumeViews;
import dev.holdfast.error.StorageException;
import dev.holdfast.mounts.DiskImage;
import dev.holdfast.mounts.Images;
import dev.holdfast.mounts.LonghornImport;
import dev.holdfast.mounts.LonghornReplica;
import dev.holdfast.resource.volume.Volume;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast volume …}. */
@Command(
    name = "volume",
    description = "Make, show, attach, detach, grow, limit and delete volumes.",
    synopsisSubcommandLabel = "COMMAND")
final class VolumeCommand extends CommandGroup {
  private static final String NAME = "The volume's name.";

  VolumeCommand(Invocation invocation) {
    super(invocation);
  }

  @Command(description = "Make a volume, empty or a copy of another.")
  int create(
      @Parameters(paramLabel = "NAME", description = NAME) String name,
      @ArgGroup(exclusive = false, multiplicity = "1") ContentOptions content,
      @Option(names = "--replicas", paramLabel = "N", description = "How many copies. Default: 3.")
          Integer replicas,
      @Option(
              names = "--engine",
              paramLabel = "ENGINE",
              description = "What keeps its bytes. Default: sparse.")
          String engine,
      @Option(
              names = "--frontend",
              paramLabel = "FRONTEND",
              description = "How hosts reach it. Default: nbd.")
          String frontend,
      @Option(
              names = "--wait",
              description = "Wait until its replicas are made, and a copy is whole.")
          boolean wait,
      @Option(
              names = "--timeout",
              paramLabel = "SECONDS",
              defaultValue = "60",
              description = "With --wait, how long at most. Default: ${DEFAULT-VALUE}.")
          int timeout)
      throws StorageException {
    VolumeRequest request =
        content.request(
            name,
            replicas == null ? OptionalInt.empty() : OptionalInt.of(replicas),
            Optional.ofNullable(engine),
            Optional.ofNullable(frontend));
    return invocation()
        .print(
            store -> {
              Volumes volumes = new Volumes(store);
              Volume created = volumes.create(request, invocation().waiting(wait, timeout));
              if (!wait) {
                volumes
                    .placementProblem(created)
                    .ifPresent(why -> invocation().warn(VolumeViews.unplaced(created, why)));
              }
              return views().created(created, request.size(), Optional.empty());
            });
  }

  @Command(description = "Show all volumes.")
  int list() throws StorageException {
    return invocation().print(store -> views().volumes(new Volumes(store).list()));
  }

  @Command(description = "Show one volume; with -o json the resource itself.")
  int get(@Parameters(paramLabel = "NAME", description = NAME) String name)
      throws StorageException {
    return invocation().print(store -> views().volume(new Volumes(store).get(name)));
  }

  @Command(description = "Delete a volume and its data; an attached one is refused.")
  int delete(
      @Parameters(paramLabel = "NAME", description = NAME) String name,
      @Mixin DeletionOptions when,
      @Mixin WaitOptions wait)
      throws StorageException {
    return invocation()
        .print(
            store -> {
              Volumes volumes = new Volumes(store);
              return switch (when.moment()) {
                case NOW -> {
                  invocation().mounts(store).requireUnmounted(name);
                  yield views().deleted(name, volumes.delete(name, wait.of(invocation())));
                }
                case WHEN_DETACHED -> views().deletedWhenDetached(volumes.deleteWhenDetached(name));
                case NEVER -> views().deletionCancelled(volumes.cancelDeletion(name));
              };
            });
  }

  @Command(description = "Attach a volume to a node, and wait until it is served there.")
  int attach(
      @Parameters(paramLabel = "NAME", description = NAME) String name,
      @Option(
              names = "--node",
              paramLabel = "NODE",
              description = "Where to. Default: wherever it is, else any node.")
          String node,
      @Option(
              names = "--ttl",
              paramLabel = "SECONDS",
              description = "Take the request back by itself after so long. Default: never.")
          Long ttl,
      @Mixin WaitOptions wait)
      throws StorageException {
    return invocation()
        .print(
            store ->
                views()
                    .attached(
                        new Attachments(store)
                            .attach(
                                name,
                                Optional.ofNullable(node),
                                Optional.ofNullable(ttl)
                                    .map(
                                        seconds ->
                                            invocation().clock().instant().plusSeconds(seconds)),
                                wait.of(invocation()))));
  }

  @Command(description = "Take back what 'attach' asked for, and wait until it is done.")
  int detach(
      @Parameters(paramLabel = "NAME", description = NAME) String name,
      @Option(
              names = "--node",
              paramLabel = "NODE",
              description = "Only from this node. Default: all.")
          String node,
      @Option(
              names = "--force",
              description = {
                "Also remove the tickets of pods and maintenance, for a node that is"
                    + " permanently lost."
              })
          boolean force,
      @Mixin WaitOptions wait)
      throws StorageException {
    return invocation()
        .print(
            store -> {
              invocation().mounts(store).requireUnmounted(name);
              Attachments attachments = new Attachments(store);
              return views()
                  .detached(
                      force
                          ? attachments.detachAll(name, wait.of(invocation()))
                          : attachments.detach(
                              name, Optional.ofNullable(node), wait.of(invocation())));
            });
  }

  @Command(description = "Explain who holds a volume, who waits for it, and why.")
  int why(@Parameters(paramLabel = "NAME", description = NAME) String name)
      throws StorageException {
    return invocation()
        .print(store -> new ExplanationViews().explanation(new Explanations(store).why(name)));
  }

  @Command(
      description =
          "Declare whose content counts for a volume that cannot be opened otherwise; writes that"
              + " only other replicas hold are lost.")
  int salvage(
      @Parameters(paramLabel = "NAME", description = NAME) String name,
      @Option(
              names = "--replica",
              required = true,
              paramLabel = "REPLICA",
              description = "A replica whose content is the volume's; may be given several times.")
          List<String> replicas)
      throws StorageException {
    return invocation()
        .print(store -> views().salvaging(new Volumes(store).salvage(name, replicas)));
  }

  @Command(description = "Print the URI of an attached volume, for initiators.")
  int endpoint(@Parameters(paramLabel = "NAME", description = NAME) String name)
      throws StorageException {
    return invocation().print(store -> views().endpoint(name, new Volumes(store).endpoint(name)));
  }

  @Command(
      description = {
        "Let a volume grow, in use or not.",
        "Grow its filesystem afterwards, with resize2fs or xfs_growfs."
      })
  int expand(
      @Parameters(paramLabel = "NAME", description = NAME) String name,
      @Parameters(paramLabel = "SIZE", description = "The new size, for example 2Gi.") String size,
      @Mixin WaitOptions wait)
      throws StorageException {
    return invocation()
        .print(
            store ->
                views()
                    .expanded(new Volumes(store).expand(name, size, wait.of(invocation())), size));
  }

  @Command(
      description =
          "Limit what the clients of a volume may use, and say which rules hold for it; also while"
              + " it is in use.")
  int set(
      @Parameters(paramLabel = "NAME", description = NAME) String name,
      @Mixin LimitOptions limits,
      @Mixin RuleOptions rules)
      throws StorageException {
    return invocation()
        .print(
            store ->
                views()
                    .limited(
                        new Volumes(store)
                            .change(
                                name,
                                spec -> rules.applyTo(spec).withQos(limits.applyTo(spec.qos())))));
  }

  @Command(description = "Compare the snapshots of a volume with their checksums, and repair.")
  int scrub(
      @Parameters(paramLabel = "NAME", description = NAME) String name,
      @Option(names = "--cancel", description = "Break off what was asked for and is not done.")
          boolean cancel,
      @Mixin WaitOptions wait)
      throws StorageException {
    return invocation()
        .print(
            store -> {
              Snapshots snapshots = new Snapshots(store, invocation().clock());
              return new SnapshotViews(invocation().clock())
                  .scrubbed(
                      name,
                      cancel
                          ? snapshots.cancelScrub(name)
                          : snapshots.scrub(name, wait.of(invocation())));
            });
  }

  @Command(
      name = "import",
      description = {
        "Make a volume of an image, raw or qcow2, or of a replica's directory that Longhorn v1"
            + " or Holdfast wrote, on this host.",
        "After it broke off, the same command does it again."
      })
  int importImage(
      @Parameters(paramLabel = "NAME", description = NAME) String name,
      @Parameters(paramLabel = "FILE", arity = "0..1", description = "The image.") Path file,
      @Mixin ImportOptions source,
      @Option(names = "--replicas", paramLabel = "N", description = "How many copies. Default: 3.")
          Integer replicas,
      @Mixin WaitOptions wait)
      throws StorageException {
    OptionalInt copies = replicas == null ? OptionalInt.empty() : OptionalInt.of(replicas);
    Optional<LonghornReplica> longhorn = source.longhorn(file);
    if (longhorn.isPresent()) {
      return invocation()
          .print(
              store ->
                  views()
                      .imported(
                          new LonghornImport(store)
                              .run(name, longhorn.get(), copies, wait.of(invocation())),
                          longhorn.get().directory()));
    }
    DiskImage image = source.image(file);
    VolumeRequest request =
        new VolumeRequest(name, source.size(), copies, Optional.empty(), Optional.empty());
    return invocation()
        .print(
            store ->
                views()
                    .imported(
                        new Images(store, invocation().clock())
                            .importImage(request, image, wait.of(invocation())),
                        image.file()));
  }

  @Command(
      name = "export",
      description = {
        "Write the present content of a volume, or a snapshot of it, into a file on this host.",
        "The volume may be in use."
      })
  int exportImage(
      @Parameters(paramLabel = "NAME", description = NAME) String name,
      @Parameters(paramLabel = "FILE", description = "The file; must not exist.") Path file,
      @Option(
              names = "--snapshot",
              paramLabel = "NAME",
              description = "The snapshot. Default: one that is taken for it and removed again.")
          String snapshot,
      @Option(
              names = "--format",
              paramLabel = "FORMAT",
              defaultValue = "raw",
              description = "raw or qcow2. Default: ${DEFAULT-VALUE}.")
          DiskImage.Format format,
      @Mixin WaitOptions wait)
      throws StorageException {
    return invocation()
        .print(
            store ->
                views()
                    .exported(
                        name,
                        new Images(store, invocation().clock())
                            .exportImage(
                                name,
                                Optional.ofNullable(snapshot),
                                file.toAbsolutePath(),
                                format,
                                wait.of(invocation()))));
  }

  private VolumeViews views() {
    return new VolumeViews(invocation().clock());
  }
}
