package dev.holdfast.initiator.kernel.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.BlockDevices;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Identity of this host for controllers, from the files that nvme-cli also reads.
 *
 * <pre>
 *   hostnqn, hostid    its name: reservations belong to it, so it must be the same after a reboot
 *   config.json        secrets of DH-HMAC-CHAP, each host's, or each port's of a subsystem:
 *     [{"hostnqn": …, "dhchap_key": …, "dhchap_ctrl_key": …, "subsystems": [{"nqn": …,
 *       "ports": [{"traddr": …, "trsvcid": …, "dhchap_key": …, "dhchap_ctrl_key": …}]}]}]
 * </pre>
 *
 * The files are read at every call. A port's secret has priority over the host's; a port without an
 * address is every port of its subsystem. Only this class supports a controller's secret for all
 * subsystems of a host; nvme-cli ignores it.
 */
final class NvmeHost {
  private static final String SECRET = "DHHC-1:[0-9]{2}:[A-Za-z0-9+/]+=*:";
  private static final String HOST_KEY = "dhchap_key";
  private static final String CONTROLLER_KEY = "dhchap_ctrl_key";

  private final Path folder;
  private final JsonMapper mapper = JsonMapper.builder().build();

  /**
   * Reads a folder.
   *
   * @param folder {@code /etc/nvme} on a host, not null
   */
  NvmeHost(Path folder) {
    this.folder = folder;
  }

  /** Returns the options of the fabrics device with this host's name; empty if it has none. */
  String identity() {
    Optional<String> id = attribute("hostid");
    return name().isPresent() && id.isPresent()
        ? ",hostnqn=" + name().get() + ",hostid=" + id.get()
        : "";
  }

  /** Returns the persistent name of this host; empty if it has none. */
  Optional<String> provableName() {
    return identity().isEmpty() ? Optional.empty() : name();
  }

  private Optional<String> name() {
    return attribute("hostnqn");
  }

  private Optional<String> attribute(String file) {
    return BlockDevices.attribute(folder.resolve(file)).filter(text -> !text.isBlank());
  }

  /**
   * Returns the options of the fabrics device with the secrets for a target; empty if none exist.
   *
   * @throws StorageException INVALID when the file or a secret has another form; IO
   */
  String secrets(Target target) throws StorageException {
    StringBuilder options = new StringBuilder();
    if (identity().isEmpty()) {
      return "";
    }
    for (JsonNode host : hosts()) {
      if (name().filter(host.path("hostnqn").asText()::equals).isPresent()) {
        option("dhchap_secret", secret(host, target, HOST_KEY), options);
        option("dhchap_ctrl_secret", secret(host, target, CONTROLLER_KEY), options);
        break;
      }
    }
    return options.toString();
  }

  private static void option(String name, Optional<String> secret, StringBuilder options) {
    secret.ifPresent(present -> options.append(',').append(name).append('=').append(present));
  }

  private Path file() {
    return folder.resolve("config.json");
  }

  private JsonNode hosts() throws StorageException {
    JsonNode hosts = mapper.createArrayNode();
    try {
      hosts = mapper.readTree(Files.readString(file()));
    } catch (NoSuchFileException e) {
      return hosts;
    } catch (JsonProcessingException e) {
      // Omits the parser's message, which quotes the text with the secrets.
      throw invalid("no JSON at line " + e.getLocation().getLineNr());
    } catch (IOException e) {
      throw StorageException.io(file().toString(), e);
    }
    if (!hosts.isArray()) {
      throw invalid("no list of hosts");
    }
    return hosts;
  }

  private Optional<String> secret(JsonNode host, Target target, String key)
      throws StorageException {
    for (JsonNode subsystem : host.path("subsystems")) {
      if (subsystem.path("nqn").asText().equals(target.name())) {
        for (JsonNode port : subsystem.path("ports")) {
          if (port.hasNonNull(key) && isOf(target, port)) {
            return Optional.of(checked(port, key, "subsystem " + target.name()));
          }
        }
      }
    }
    return host.hasNonNull(key)
        ? Optional.of(checked(host, key, "host " + host.path("hostnqn").asText()))
        : Optional.empty();
  }

  private static boolean isOf(Target target, JsonNode port) throws StorageException {
    String address = port.path("traddr").asText(target.host());
    String service = Integer.toString(target.port());
    return port.path("transport").asText("tcp").equals("tcp")
        && port.path("trsvcid").asText(service).equals(service)
        && (address.equals(target.host()) || address.equals(target.address()));
  }

  /** Returns a checked secret. The kernel treats a comma as the start of another option. */
  private String checked(JsonNode holder, String key, String whose) throws StorageException {
    String secret = holder.get(key).asText();
    if (!secret.matches(SECRET)) {
      throw invalid(key + " of " + whose + " is not a secret: those have the form DHHC-1:00:…:");
    }
    return secret;
  }

  private StorageException invalid(String why) {
    return new StorageException(ErrorCode.INVALID, file() + ": " + why);
  }
}
