package dev.holdfast.share.nfs.internal.ganesha;

import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.share.ShareAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The time for which the server of one share may run without the container. The container writes a
 * file again and again. A shell beside the server, which outlives the container too, removes the
 * floating address and kills the server when the file did not change for the time that it holds.
 * Stateless.
 */
public final class ServerLease {
  /**
   * Arguments: lease, address, file with the number of the process, its configuration, ip(8). The
   * file must stay unchanged for two looks: after a machine was suspended, the container writes
   * first. The address goes first, so that nothing of the ended connections reaches a client. A
   * process with another configuration has got the number of a server that ended.
   */
  private static final String GUARD =
      """
      seen= since=0 looks=0
      while sleep 1; do
        line=$(cat "$1" 2>/dev/null) || exit 0
        read -r up rest </proc/uptime
        up=${up%.*}
        if [ "$line" != "$seen" ]; then
          seen=$line since=$up looks=0
          continue
        fi
        looks=$((looks + 1))
        limit=${line##* }
        [ "$limit" -gt 0 ] && [ "$looks" -ge 2 ] && [ $((up - since)) -ge "$limit" ] || continue
        read -r cidr card <"$2"
        [ -z "$cidr" ] || "$5" address del "$cidr" dev "$card" 2>/dev/null
        pid=$(cat "$3" 2>/dev/null)
        case "$(tr '\\0' ' ' <"/proc/${pid:-none}/cmdline" 2>/dev/null)" in
          *" $4 "*) kill -9 "$pid" ;;
        esac
        echo "the container did not prolong the server: ended process ${pid:-none} $cidr"
        exit 0
      done
      """;

  private final ShareFolder folder;

  /** Creates the lease of a share in its folder. */
  public ServerLease(ShareFolder folder) {
    this.folder = folder;
  }

  /**
   * Prepares the files, before the server starts. A lease that is there stays.
   *
   * @throws StorageException IO
   */
  public void prepare(ShareAddress address) throws StorageException {
    String floating =
        address.isFloating()
            ? address.ip() + "/" + address.prefixLength() + " " + address.interfaceName()
            : "";
    ShareFolder.write(folder.address(), floating + "\n");
    if (!Files.exists(folder.lease())) {
      ShareFolder.write(folder.lease(), text(Optional.empty()));
    }
  }

  /** Returns the command of the guard. */
  List<String> guard(Host host) throws StorageException {
    return List.of(
        host.require("sh", "dash"),
        "-c",
        GUARD,
        "holdfast-share-guard",
        folder.lease().toString(),
        folder.address().toString(),
        folder.pid().toString(),
        folder.server().toString(),
        host.require("ip", "iproute2"));
  }

  /**
   * Writes the file, unless the share has none.
   *
   * @param limit time from now for which it counts; empty: without a limit
   * @throws StorageException IO
   */
  public void prolong(Optional<Duration> limit) throws StorageException {
    Path file = folder.lease();
    try {
      // In place, because a file that is made again would outlive its share.
      Files.writeString(file, text(limit), StandardOpenOption.WRITE);
    } catch (NoSuchFileException e) {
      return; // the share is not served here
    } catch (IOException e) {
      throw StorageException.io(file.toString(), e);
    }
  }

  /** Always of one length, so that it replaces the former text in one write. */
  private static String text(Optional<Duration> limit) {
    long seconds = limit.map(time -> Math.max(1, time.toSeconds())).orElse(0L);
    return String.format(Locale.ROOT, "%020d %06d\n", System.nanoTime(), seconds);
  }
}
