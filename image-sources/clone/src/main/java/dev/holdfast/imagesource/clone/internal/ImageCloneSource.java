package dev.holdfast.imagesource.clone.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.LuksHeaders;
import dev.holdfast.host.LuksKey;
import dev.holdfast.host.LuksSecret;
import dev.holdfast.imagesource.ImageRequest;
import dev.holdfast.imagesource.ImageSourceProvider;
import dev.holdfast.imagesource.ImageTransfer;
import dev.holdfast.imagesource.SourceParameter;
import dev.holdfast.secret.SecretProviders;
import dev.holdfast.secret.Secrets;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;

/** Images with the content of other images, as it is, encrypted or decrypted. */
@Component
public final class ImageCloneSource implements ImageSourceProvider {
  private static final String IMAGE = "backing-image";
  private static final String ENCRYPTION = "encryption";
  private static final String SECRET = "secret";

  private final LuksHeaders headers;
  private final HeaderFiles files;
  private final SecretProviders secrets = new SecretProviders();

  /** Works with the programs of a host, and with files of the bundle's own folder. */
  @Activate
  public ImageCloneSource(@Reference Host host, BundleContext bundle) throws StorageException {
    this(host, bundle.getDataFile("luks-headers").toPath());
  }

  /**
   * Works with the programs of a host.
   *
   * @param folder of its own, for headers of encrypted images; what is left in it is deleted
   */
  public ImageCloneSource(Host host, Path folder) throws StorageException {
    this.headers = new LuksHeaders(host);
    this.files = new HeaderFiles(folder);
    files.clear();
  }

  /** Adds a provider of secrets. */
  @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
  public void addSecrets(Secrets provider, Map<String, ?> properties) {
    secrets.add(provider, properties);
  }

  void removeSecrets(Secrets provider) {
    secrets.remove(provider);
  }

  @Override
  public String name() {
    return "clone";
  }

  @Override
  public List<SourceParameter> parameters() {
    return List.of(
        new SourceParameter(IMAGE, true, "Image whose content the image has."),
        new SourceParameter(
            ENCRYPTION,
            false,
            "ignore copies the content as it is, encrypt puts it into a LUKS container, decrypt"
                + " takes it out of one. Default: ignore."),
        new SourceParameter(
            SECRET,
            false,
            "Secret with the passphrase of the container in " + LuksSecret.VALUE + "."));
  }

  @Override
  public boolean takesBody() {
    return false;
  }

  @Override
  public ImageTransfer begin(ImageRequest request) throws StorageException {
    String image = request.parameters().getOrDefault(IMAGE, "");
    if (image.equals(request.image())) {
      throw wrong(request, IMAGE, "\"" + image + "\": an image cannot be its own source");
    }
    CloneEncryption encryption = encryption(request);
    String secret = request.parameters().getOrDefault(SECRET, "");
    if (encryption == CloneEncryption.IGNORE) {
      if (!secret.isEmpty()) {
        throw wrong(request, SECRET, "needs " + ENCRYPTION + " encrypt or decrypt");
      }
      return new ImageCloneTransfer(request, image, ImageCloneTransfer::copy);
    }
    if (secret.isEmpty()) {
      throw wrong(
          request, SECRET, "a value is required for " + ENCRYPTION + " " + encryption.text());
    }
    return new ImageCloneTransfer(request, image, conversion(request, encryption, secret));
  }

  private static CloneEncryption encryption(ImageRequest request) throws StorageException {
    try {
      return CloneEncryption.of(request.parameters().getOrDefault(ENCRYPTION, ""));
    } catch (StorageException e) {
      throw wrong(request, ENCRYPTION, String.valueOf(e.getMessage()));
    }
  }

  private ImageCloneTransfer.Conversion conversion(
      ImageRequest request, CloneEncryption encryption, String secret) throws StorageException {
    LuksKey key = key(request, secret);
    if (encryption == CloneEncryption.ENCRYPT && !key.cipher().equals(XtsCipher.NAME)) {
      throw new StorageException(
          ErrorCode.INVALID,
          "image "
              + request.image()
              + ": secret "
              + secret
              + "[CRYPTO_KEY_CIPHER]: "
              + key.cipher()
              + ": images are encrypted with "
              + XtsCipher.NAME
              + " only");
    }
    LuksConversion luks = new LuksConversion(headers, files, key);
    return switch (encryption) {
      case IGNORE -> ImageCloneTransfer::copy;
      case ENCRYPT -> luks::encrypt;
      case DECRYPT -> luks::decrypt;
    };
  }

  private LuksKey key(ImageRequest request, String secret) throws StorageException {
    Map<String, String> values = new TreeMap<>();
    secrets(request, secret)
        .forEach((name, value) -> values.put(name, new String(value, StandardCharsets.UTF_8)));
    String object = "image " + request.image() + ": secret " + secret;
    return LuksSecret.key(values, object)
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.UNREACHABLE,
                    object
                        + "["
                        + LuksSecret.VALUE
                        + "]: is missing: set it with 'holdfast secret set "
                        + secret
                        + " "
                        + LuksSecret.VALUE
                        + "' on each node"));
  }

  /** A secret that is absent may be set later: then the next attempt finds it. */
  private Map<String, byte[]> secrets(ImageRequest request, String secret) throws StorageException {
    try {
      return secrets.require(secret);
    } catch (StorageException e) {
      ErrorCode code = e.code() == ErrorCode.NOT_FOUND ? ErrorCode.UNREACHABLE : e.code();
      throw new StorageException(code, "image " + request.image() + ": " + e.getMessage(), e);
    }
  }

  private static StorageException wrong(ImageRequest request, String parameter, String why) {
    return new StorageException(
        ErrorCode.INVALID,
        "image " + request.image() + ": spec.sourceParameters[" + parameter + "]: " + why);
  }
}
