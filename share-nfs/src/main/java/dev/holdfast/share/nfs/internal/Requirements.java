package dev.holdfast.share.nfs.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.share.ShareAddress;
import dev.holdfast.share.ShareRequest;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/** The packages that a host needs for shares. Stateless. */
final class Requirements {
  private static final List<Path> FILESYSTEM_MODULES =
      List.of(
          Path.of("/usr/lib/x86_64-linux-gnu/ganesha/libfsalvfs.so"),
          Path.of("/usr/lib/aarch64-linux-gnu/ganesha/libfsalvfs.so"),
          Path.of("/usr/lib/ganesha/libfsalvfs.so"),
          Path.of("/usr/lib64/ganesha/libfsalvfs.so"));

  private final Host host;

  Requirements(Host host) {
    this.host = host;
  }

  /** Returns the packages that are missing, sorted. */
  List<String> missing(Optional<ShareRequest> request) throws StorageException {
    TreeSet<String> missing = new TreeSet<>();
    for (Map.Entry<String, String> program : programs(request).entrySet()) {
      if (host.find(program.getKey()).isEmpty()) {
        missing.add(program.getValue());
      }
    }
    if (!hasFilesystemModule()) {
      missing.add("nfs-ganesha-vfs");
    }
    return List.copyOf(missing);
  }

  private boolean hasFilesystemModule() throws StorageException {
    for (Path module : FILESYSTEM_MODULES) {
      if (host.files().exists(module)) {
        return true;
      }
    }
    return false;
  }

  private static Map<String, String> programs(Optional<ShareRequest> request) {
    Map<String, String> programs = new TreeMap<>();
    programs.put("ganesha.nfsd", "nfs-ganesha");
    programs.put("dbus-daemon", "dbus-daemon");
    programs.put("dbus-send", "dbus-bin");
    programs.put("ip", "iproute2");
    programs.put("ss", "iproute2");
    programs.put("blkid", "util-linux");
    programs.put("mount", "mount");
    if (request.isEmpty()) {
      return programs;
    }
    switch (request.get().filesystem().type()) {
      case "xfs" -> programs.put("mkfs.xfs", "xfsprogs");
      default -> programs.put("mkfs.ext4", "e2fsprogs");
    }
    if (request.get().key().isPresent()) {
      programs.put("cryptsetup", "cryptsetup-bin");
    }
    if (request.map(ShareRequest::address).filter(ShareAddress::isFloating).isPresent()) {
      programs.put("arping", "iputils-arping");
    }
    return programs;
  }

  /** Refuses a request whose packages are missing. */
  void require(ShareRequest request) throws StorageException {
    List<String> missing = missing(Optional.of(request));
    if (!missing.isEmpty()) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "share "
              + request.volume()
              + ": this node lacks packages: apt-get install "
              + String.join(" ", missing));
    }
  }
}
