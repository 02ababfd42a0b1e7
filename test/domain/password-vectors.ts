/**
 * Hashes of {@link vectorPassword} by the named implementations. Usher uses none of them.
 */
export const passwordVectors: [format: string, hash: string][] = [
  ['bcrypt $2a$ (passlib)', '$2a$04$SXwcvZBDtxbsQDKW9XyNO.WjKP9C1Yv3dq0jLCkymNlacGDuZQPEi'],
  ['bcrypt $2b$ (passlib)', '$2b$04$NTPHs4KGu0uzWV1Yj7sRYuyr9A/8VGo1GA4TxYeLo.NoDYnD3vOsO'],
  ['bcrypt $2y$ (passlib)', '$2y$04$vHIRUw4gW5O1MiG6W8x6meBCvDUipZDxI2BJ8//zKCyu0GAwDbWfq'],
  ['bcrypt (pyca)', '$2b$05$A0.H0IKA3qZpMuZIDUSNfeAiI2xFAjBP93K0JaT4DuL8zwY9MBvMK'],
  [
    'scrypt (passlib)',
    '$scrypt$ln=4,r=8,p=1$rpVSilGqNSZESClFSElpbQ$0ei2kBcggnhERJOu7QQW9+a87zCvFgcQlcDHo5lpNGo',
  ],
  [
    'scrypt with other r and p (passlib)',
    '$scrypt$ln=6,r=4,p=3$4fw/x5iT0vq/l1IKwXjvvQ$sMQipB6UteMTKnzmImIQoyROO3BFmAcNZ2mOYTXdI8o',
  ],
  ['PBKDF2 SHA-1 (passlib)', '$pbkdf2$7$TAmhVColZIwRghCCMCYkZA$xToUGXPA0fGPZaueZWWjP9TMtHM'],
  [
    'PBKDF2 SHA-256 (passlib)',
    '$pbkdf2-sha256$29$0tqbU.q9F6L0vhdijFFqLQ$71EkxvQcqoKsRGd8Dh3yDj028fMkHeUhCrX1i9FzBc8',
  ],
  [
    'PBKDF2 SHA-512 (passlib)',
    '$pbkdf2-sha512$31$b82ZkzImRAhBaM0ZIyRE6A$gSBsmgmRuxOCsP7sQ9LFQWgZYaeDFkeA6SM0QDMuNhCtahVr8sAkA698g6LtrzWUdOFKXJxO6UEnjp1IwQiKEQ',
  ],
  ['PBKDF2 SHA-1 as PHC (hashlib)', '$pbkdf2-sha1$i=37$AAECAwQFBgcICQoLDA0ODw$3H522OqZVU8I4qbjncW8HuDjAUs'],
  [
    'PBKDF2 SHA-256 as PHC (hashlib)',
    '$pbkdf2-sha256$i=37$AAECAwQFBgcICQoLDA0ODw$mV0OF/pJNTmPDJmOYuLRaqzUsjW/WwFiUszcJ1Bd0rQ',
  ],
  [
    'PBKDF2 SHA-512 as PHC (hashlib)',
    '$pbkdf2-sha512$i=37$AAECAwQFBgcICQoLDA0ODw$ODHTerFIGBibeqy41cYZagC9kgxHqeVZc0l/9aYhy3wqqYM6cYqZvT7wsjoMRHl7vxnLRzHz6ykX60+/qCGYeQ',
  ],
  [
    'PBKDF2 with its length (hashlib)',
    '$pbkdf2-sha256$i=37,l=48$AAECAwQFBgcICQoLDA0ODw$mV0OF/pJNTmPDJmOYuLRaqzUsjW/WwFiUszcJ1Bd0rT0WM7hJT7o5jk0UbmHawZm',
  ],
  [
    'PBKDF2 SHA-256 (Django)',
    'pbkdf2_sha256$41$sEa.salt/WITH=22chars$37PVxCqllF3hXRixzLAKZ1Y7heBK2M3Mi7dN6PIxqac=',
  ],
  ['PBKDF2 SHA-1 (Django)', 'pbkdf2_sha1$43$saltsaltsalt$AvIEdDK5WK1amzNVLV9JDKYcspo='],
  ['argon2i (argon2-cffi)', '$argon2i$v=19$m=16,t=2,p=2$jM+ioMCIh7eTGwTP$92XZthciyaxYZBjW+tKYRaNJIsJcATi/'],
  ['argon2d (argon2-cffi)', '$argon2d$v=19$m=16,t=2,p=2$7eYY+OfgkyKssZ7x$eW8xOVLj6o1TeN5Up1KA5q8C9GTc/LX1'],
  ['argon2id (argon2-cffi)', '$argon2id$v=19$m=16,t=2,p=2$SAIm53lOrbhiKvj2$aEujj6UprKg+U9oQMDv2o7wJob+C/puD'],
  [
    'argon2id version 1.0 (argon2-cffi)',
    '$argon2id$v=16$m=8,t=1,p=1$AAECAwQFBgcICQoLDA0ODw$CA8CkEgUct6NvMM1DHYB23OzkzrZab9qpAasrcVJGCk',
  ],
  [
    'Firebase scrypt (hashlib, cryptography)',
    '$fbscrypt$v=1,n=5,r=8,p=1,ss=Bw==,sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==$AAECAwQFBgcICQ==$GBfB9JP0mfNAspAxJMrSLE7pmoWwSt4humw6Bqtqiuqzuen8qZ+qQzwL//uD0eX6O0syrZgrL05RYb/1dDu+Ng==',
  ],
]

export const vectorPassword = 'correct horse battery'

/** The example of github.com/firebase/scrypt. */
export const firebaseExample = {
  password: 'user1password',
  hash: '$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
}

/** A password that NFKC would change, hashed as entered (pyca/bcrypt). */
export const unnormalized = {
  password: 'ｃｏｒｒｅｃｔ ﬃ é',
  hash: '$2b$04$3MxGfSVFFJuGJzw5uP/d2O.QKpcOT/UfnFX45fpvoJhWhAaldMXrm',
}

/** A password of 80 bytes, of which bcrypt saw the first 72 (pyca/bcrypt). */
export const longPassword = {
  password: 'é'.repeat(40),
  hash: '$2b$04$50Q2FulzgBd4GhnfGYhw1ejB3c3CpVWVgNriy7EVLVPGUsb8p1LJu',
}
