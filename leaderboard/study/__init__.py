"""The study of empathetic responding: replies of people and models, rated by people."""
