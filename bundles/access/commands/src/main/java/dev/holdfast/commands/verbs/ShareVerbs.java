package dev.holdfast.commands.verbs;

import dev.holdfast.client.ShareSettings;
import dev.holdfast.client.Shares;
import dev.holdfast.commands.MountViews;
import dev.holdfast.commands.Output;
import dev.holdfast.commands.ShareViews;
import dev.holdfast.commands.verbs.VerbOption.Repetition;
import dev.holdfast.error.StorageException;
import dev.holdfast.mounts.ShareMountRequest;
import dev.holdfast.share.ShareSquash;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The verbs {@code share} and {@code share …}. */
final class ShareVerbs {
  private static final VerbArgument<String> NAME = Common.VOLUME.times(0, 1);
  private static final VerbOption<String> ADDRESS =
      VerbOption.of(
          "--address",
          "ADDRESS",
          String.class,
          "Floating address IP/LENGTH%INTERFACE of the server, for example 10.0.0.9/24%eth0, which "
              + "moves with the"
              + " share; 'none' for the node's own. Default: as it is, at first the node's own.");
  private static final VerbOption<String> ALLOW =
      VerbOption.of(
              "--allow",
              "CIDR",
              String.class,
              "Addresses and networks of all clients, separated by commas; 'nodes' for the nodes of"
                  + " the cluster. Default: as it is, at first the nodes.")
          .times(Repetition.LIST);
  private static final VerbOption<Boolean> READ_ONLY =
      VerbOption.flag("--read-only", "With --allow: these clients may only read.");
  private static final VerbOption<ShareSquash> SQUASH =
      VerbOption.of(
          "--squash",
          "USERS",
          ShareSquash.class,
          "Users of clients that are mapped to the anonymous user: none, root or all. Default: "
              + "as it is,"
              + " at first none.");
  private static final VerbOption<String> KEY_FILE =
      VerbOption.of(
          "--key-file",
          "FILE",
          String.class,
          Candidates.FILES,
          "File on each node with the passphrase of an encrypted volume; 'none' for a volume in"
              + " clear. Default: as it is, at first none.");

  private static final VerbOption<String> KEY_SECRET =
      VerbOption.of(
          "--key-secret",
          "SECRET",
          String.class,
          "Secret with the passphrase of an encrypted volume as CRYPTO_KEY_VALUE, which each node"
              + " can read ('holdfast secret set'); 'none' for a volume in clear. Takes the place "
              + "of"
              + " --key-file. Default: as it is, at first none.");

  private static final String NONE = "none";
  private static final String NODES = "nodes";

  static final Verb SHARE =
      new Verb(
          "share",
          List.of(NAME),
          List.of(
              ADDRESS,
              ALLOW,
              READ_ONLY,
              SQUASH,
              KEY_FILE,
              KEY_SECRET,
              Common.NO_WAIT,
              Common.TIMEOUT),
          """
          Export the filesystem of an rwx volume to many hosts over NFS, and wait until it is served.
          The volume gets a filesystem when it is empty. Without arguments, show all shares.""",
          ShareVerbs::share);

  private static final VerbOption<Boolean> MOUNTED =
      VerbOption.flag(
          "--force", "Stop it although clients have it mounted, which then receive errors.");
  private static final VerbArgument<Path> DIRECTORY =
      VerbArgument.of(
          "DIR",
          Path.class,
          Candidates.FILES,
          "Directory to mount it on; created when it is missing.");
  private static final VerbOption<String> OPTIONS =
      VerbOption.of(
          "--options",
          "OPTIONS",
          String.class,
          "Options of nfs(5), separated by commas, in place of those of the share.");
  private static final VerbOption<Boolean> PERSIST =
      VerbOption.flag("--persist", "Mount it again after a reboot, by 'holdfast mount --restore'.");

  static final List<Verb> ALL =
      List.of(
          SHARE,
          new Verb(
              "share list",
              List.of(),
              List.of(),
              "Show all shares.",
              call -> views().shares(shares(call).list())),
          new Verb(
              "share get",
              List.of(Common.VOLUME),
              List.of(),
              "Show one share; with -o json the resource itself.",
              ShareVerbs::get),
          new Verb(
              "share stop",
              List.of(Common.VOLUME),
              List.of(MOUNTED, Common.NO_WAIT, Common.TIMEOUT),
              "Stop a share, unless a pod uses it, and wait until its node has released the "
                  + "volume.",
              ShareVerbs::stop),
          new Verb(
              "share clients",
              List.of(Common.VOLUME),
              List.of(),
              "Show the clients that have mounted a share, and the permitted ones.",
              call -> views().clients(shares(call).get(call.get(Common.VOLUME)))),
          new Verb(
              "share trim",
              List.of(Common.VOLUME),
              List.of(Common.TIMEOUT),
              "Give the unused blocks of a share's filesystem back to the disks.",
              ShareVerbs::trim),
          new Verb(
              "share mount",
              List.of(Common.VOLUME, DIRECTORY),
              List.of(OPTIONS, PERSIST, Common.TIMEOUT),
              "Mount a share on this host; 'holdfast umount' unmounts it.",
              ShareVerbs::mount));

  private ShareVerbs() {}

  private static Output share(VerbCall call) throws StorageException {
    Optional<String> name = call.value(NAME);
    if (name.isEmpty()) {
      if (call.hasAny(List.of(ADDRESS, ALLOW, READ_ONLY, SQUASH, KEY_FILE, KEY_SECRET))) {
        throw new WrongUse("NAME is missing: name the volume to share");
      }
      return views().shares(shares(call).list());
    }
    if (call.has(READ_ONLY) && call.all(ALLOW).isEmpty()) {
      throw new WrongUse("--read-only is for the clients of --allow: name them");
    }
    ShareSettings settings =
        new ShareSettings(
            name.get(),
            unlessNone(call.value(ADDRESS)),
            call.all(ALLOW).isEmpty() ? Optional.empty() : Optional.of(clients(call.all(ALLOW))),
            call.has(READ_ONLY),
            call.value(SQUASH),
            unlessNone(call.value(KEY_FILE)),
            unlessNone(call.value(KEY_SECRET)));
    return views().shared(shares(call).share(settings, call.waiting()));
  }

  private static Optional<String> unlessNone(Optional<String> text) {
    return text.map(given -> given.equals(NONE) ? "" : given);
  }

  private static List<String> clients(List<String> given) throws WrongUse {
    if (given.contains(NODES) && given.size() > 1) {
      throw new WrongUse(
          "--allow is either 'nodes' or addresses: name the addresses of the nodes instead");
    }
    return given.contains(NODES) ? List.of() : given;
  }

  private static Output get(VerbCall call) throws StorageException {
    String name = call.get(Common.VOLUME);
    Shares shares = shares(call);
    return views().share(shares.get(name), shares.workloadNodes(name));
  }

  private static Output stop(VerbCall call) throws StorageException {
    String name = call.get(Common.VOLUME);
    Shares shares = shares(call);
    return views()
        .stopped(shares.stop(name, call.has(MOUNTED), call.waiting()), shares.workloadNodes(name));
  }

  private static Output trim(VerbCall call) throws StorageException {
    String name = call.get(Common.VOLUME);
    return views().trimmed(name, shares(call).trim(name, call.waiting(true, Common.TIMEOUT)));
  }

  private static Output mount(VerbCall call) throws StorageException {
    ShareMountRequest request =
        new ShareMountRequest(
            call.get(Common.VOLUME),
            call.get(DIRECTORY).toAbsolutePath().normalize(),
            call.value(OPTIONS).orElse(""),
            call.has(PERSIST));
    return new MountViews()
        .mounted(call.context().mounts().mountShare(request, call.waiting(true, Common.TIMEOUT)));
  }

  private static Shares shares(VerbCall call) throws StorageException {
    return new Shares(call.context().store());
  }

  private static ShareViews views() {
    return new ShareViews();
  }
}
